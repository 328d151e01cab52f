import { jsonParser } from 'stream-json/core/parser.js'
import { type CaseBatch, gatherCases } from '../case-batch.ts'
import { decodeText } from '../lines.ts'
import { type ReadOptions, ReportError, type ReportSource, type TestCase } from '../report.ts'
import { Assembler, type JsonToken } from './assemble.ts'
import type { Shape } from './shape.ts'

/** The tokenizer waits for as many characters before it says that something is no word of JSON. */
const patience = ' '.repeat(17)

/**
 * Reads what a shape asks for from JSON of any length.
 *
 * @param shapeOf - whose lists of kind `each` put cases into the batch
 * @param end - gets the whole value, without the items of lists that were handed on
 * @throws ReportError `malformed` with the line where it is not JSON or not of that shape
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
      // A line ends within no text, so that white space may follow.
      for (const token of parse(piece.endsWith('\n') ? piece + patience : piece)) assembler.take(token)
    } catch (error) {
      throw withLine(error, source, line)
    }
    if (piece.endsWith('\n')) line += 1
  }
  for await (const text of decodeText(source, options.limits)) {
    for (const piece of linesOf(text)) feed(piece)
    yield* batch.take()
  }
  // Ends a number or a word that could have gone on.
  feed(patience)
  if (!assembler.isComplete) throw new ReportError('malformed', source.name, 'the file ends too early', line)
  end(assembler.root as T, batch)
  yield* batch.take(true)
}

/** Texts, keys and numbers come in parts, so that none of them has to be held as a whole. */
function tokenizer(): (text: string) => readonly JsonToken[] {
  const parser = jsonParser({ packValues: false, streamValues: true })
  return (text) => {
    const tokens = parser(text)
    return typeof tokens === 'object' && 'values' in tokens ? tokens.values : []
  }
}

/** The tokenizer does not say where it failed, so it gets a line at a time. */
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
