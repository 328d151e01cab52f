import { jsonParser } from 'stream-json/core/parser.js'
import { type CaseBatch, gatherCases } from '../case-batch.ts'
import { decodeText } from '../lines.ts'
import { type ReadOptions, ReportError, type ReportSource, type TestCase } from '../report.ts'
import { Assembler, type JsonToken } from './assemble.ts'
import type { Shape } from './shape.ts'

/** The tokenizer needs this many characters before it rejects an invalid word. */
const padding = ' '.repeat(17)

/**
 * Reads the parts of a JSON document of any length that a shape describes.
 *
 * @param shapeOf - returns the shape; its lists of kind `each` add cases to the batch
 * @param end - receives the whole value without the items of streamed lists
 * @throws ReportError `malformed` with the line that is not JSON or does not match the shape
 */
export async function* readJson<T>(
  source: ReportSource,
  options: ReadOptions,
  shapeOf: (batch: CaseBatch) => Shape<T>,
  end: (whole: T, batch: CaseBatch) => void,
): AsyncGenerator<TestCase[]> {
  const batch = gatherCases(source, options)
  const assembler = new Assembler(shapeOf(batch), source, options)
  const parse = tokenizer()
  let line = 1
  const feed = (piece: string) => {
    try {
      // A text cannot contain a line end, so white space may follow one.
      for (const token of parse(piece.endsWith('\n') ? piece + padding : piece)) assembler.take(token)
    } catch (error) {
      throw withLine(error, source, line)
    }
    if (piece.endsWith('\n')) line += 1
  }
  for await (const text of decodeText(source, options.limits)) {
    for (const piece of linesOf(text)) feed(piece)
    yield* batch.take()
  }
  // Ends a number or word, which could otherwise continue.
  feed(padding)
  if (!assembler.isComplete) throw new ReportError('malformed', source.name, 'the file ends too early', line)
  end(assembler.root as T, batch)
  yield* batch.take(true)
}

/** Texts, keys and numbers arrive in parts, so that long ones are never held completely. */
function tokenizer(): (text: string) => readonly JsonToken[] {
  const parser = jsonParser({ packValues: false, streamValues: true })
  return (text) => {
    const tokens = parser(text)
    return typeof tokens === 'object' && 'values' in tokens ? tokens.values : []
  }
}

/** The tokenizer does not report the position of errors, so it receives one line at a time. */
function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start) + 1 || text.length
    yield text.slice(start, end)
    start = end
  }
}

function withLine(error: unknown, source: ReportSource, line: number): unknown {
  if (error instanceof ReportError) {
    if (error.line !== null || error.code !== 'malformed') return error
    return new ReportError(error.code, error.file, error.message.slice(error.file.length + 2), line)
  }
  // The tokenizer throws plain errors for invalid JSON; other errors are defects of this program.
  if (error instanceof Error && error.constructor === Error) {
    return new ReportError(
      'malformed',
      source.name,
      `not JSON: ${error.message.replace(/^Parser [a-z ]*?: /, '')}`,
      line,
    )
  }
  return error
}
