import { detectFormat, type ReportFormat } from './detect.ts'
import { readGoJson } from './go-json.ts'
import { readCtrf } from './json/ctrf.ts'
import { readJestJson } from './json/jest.ts'
import { readMochaJson } from './json/mocha.ts'
import { readPlaywrightJson } from './json/playwright.ts'
import { readRspecJson } from './json/rspec.ts'
import { readJunit } from './junit/read-junit.ts'
import { readLibtest } from './libtest.ts'
import { ReportError, reportFormats } from './report.ts'
import type { ReadOptions, ReportReader, ReportSource, TestCase } from './report.ts'
import { readTap } from './tap.ts'
import { readTrx } from './trx.ts'
import { encodingOf } from './xml-encoding.ts'

const readers: Record<ReportFormat, ReportReader> = {
  junit: readJunit,
  trx: readTrx,
  'jest-json': readJestJson,
  'playwright-json': readPlaywrightJson,
  'mocha-json': readMochaJson,
  'rspec-json': readRspecJson,
  'go-json': readGoJson,
  tap: readTap,
  ctrf: readCtrf,
  libtest: readLibtest,
}

const supported = `The supported formats are: ${reportFormats}.`

/** Bytes that show the format. */
const startSize = 64 * 1024

export interface Report {
  format: ReportFormat
  /** The cases in batches. If reading fails with a ReportError, earlier batches do not count. */
  cases: AsyncIterable<TestCase[]>
}

/** Detects the format by the content. @throws ReportError for an unsupported format */
export async function readReport(source: ReportSource, options: ReadOptions): Promise<Report> {
  const { start, bytes } = await peek(source.bytes)
  if (start.length === 0) throw new ReportError('empty', source.name, `the file is empty. ${supported}`)
  const detected = detectFormat(textOf(start), source.name)
  if ('looksLike' in detected) {
    throw new ReportError('unknown_format', source.name, `the file looks like ${detected.looksLike}. ${supported}`)
  }
  const { format } = detected
  return {
    format,
    cases: withEmptyWarning(readers[format]({ name: source.name, bytes }, options), source.name, options.warn),
  }
}

/** A report without tests may be intended, so it only gets a warning. */
async function* withEmptyWarning(cases: AsyncIterable<TestCase[]>, name: string, warn: ReadOptions['warn']) {
  let any = false
  for await (const batch of cases) {
    any ||= batch.length > 0
    yield batch
  }
  if (!any) warn(`${name}: the report contains no tests`)
}

function textOf(start: Buffer): string {
  const encoding = encodingOf(start)
  return new TextDecoder(encoding.startsWith('utf-16') ? encoding : 'utf-8').decode(start, { stream: true })
}

/** Reads the first bytes, and returns them with a stream of all bytes. */
async function peek(source: AsyncIterable<Buffer>) {
  const iterator = source[Symbol.asyncIterator]()
  const chunks: Buffer[] = []
  let size = 0
  while (size < startSize) {
    const next = await iterator.next()
    if (next.done === true) break
    chunks.push(next.value)
    size += next.value.length
  }
  async function* all() {
    try {
      yield* chunks
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return { start: Buffer.concat(chunks).subarray(0, startSize), bytes: all() }
}
