export type CaseStatus = 'passed' | 'failed' | 'skipped'

/** An attempt before the last one. */
export interface Attempt {
  status: CaseStatus
  durationMs: number | null
  message: string | null
  /** Tells only where the attempt failed. It is not stored. */
  stack?: string
}

/** One test of a report, with texts shortened to `ReportLimits`. */
export interface TestCase {
  /** Titles around the test, outermost first, joined by ` > `; may be empty. Not the file name alone if `file` has it. */
  suite: string
  name: string
  /** Relative to the repository if the report shows it, with slashes. */
  file: string | null
  line: number | null
  /** The status of the last attempt. */
  status: CaseStatus
  durationMs: number | null
  /** The error, or the reason for skipping. */
  message: string | null
  stack: string | null
  /** Set if the report gives no reason for the failure, so that the reader worded `message`. */
  failure?: 'unexplained' | 'not_ended'
  /** Earlier attempts; a test that passed after one of them failed is flaky. */
  attempts: readonly Attempt[]
}

/** The supported formats in words, for messages and help. */
export const reportFormats =
  'JUnit XML, TRX, JSON of Jest, Vitest, Playwright, Mocha and RSpec, `go test -json`, TAP, CTRF, output of `cargo test`'

/** The bytes of a report as a stream; `name` is for messages and for detecting the format. */
export interface ReportSource {
  name: string
  bytes: AsyncIterable<Buffer>
}

export interface ReportLimits {
  /** The maximum number of cases of one report. */
  maxCases: number
  /** The maximum number of characters. Longer texts are shortened in the middle, with a note. */
  maxMessage: number
  maxStack: number
  maxName: number
  maxAttempts: number
  /** The maximum number of bytes of one report. */
  maxBytes: number
}

export const reportLimits: ReportLimits = {
  maxCases: 200_000,
  maxMessage: 4_000,
  maxStack: 16_000,
  maxName: 1_000,
  maxAttempts: 20,
  maxBytes: 512 * 2 ** 20,
}

export interface ReadOptions {
  /** Folders that absolute paths in the report begin with; removed from paths. */
  roots: readonly string[]
  /** Go modules of the repository, to map packages to folders; `folder` is empty for the root. */
  goModules?: readonly { path: string; folder: string }[]
  limits: ReportLimits
  /** Receives warnings, such as a wrong total. */
  warn: (message: string) => void
}

/** A report that cannot be read; nothing in it counts. The message names the file and, if known, the line. */
export class ReportError extends Error {
  override name = 'ReportError'
  /** `unreadable`: the process that read the report was stopped, because the report exceeded a limit. */
  readonly code: 'unknown_format' | 'malformed' | 'too_large' | 'too_many_tests' | 'empty' | 'unreadable'
  readonly file: string
  /** From 1. */
  readonly line: number | null
  /** The message without the file and the line. */
  readonly problem: string
  constructor(code: ReportError['code'], file: string, problem: string, line: number | null = null) {
    super(`${file}${line === null ? '' : `, line ${line}`}: ${problem}`)
    this.code = code
    this.file = file
    this.line = line
    this.problem = problem
  }
}

/** Reads one format in batches of some hundred cases, and holds one batch in memory. */
export type ReportReader = (source: ReportSource, options: ReadOptions) => AsyncIterable<TestCase[]>
