import { type CaseBatch, gatherCases, tooManyTests } from './case-batch.ts'
import { parseLibtestLine, readPanic } from './libtest-lines.ts'
import { readLines } from './lines.ts'
import {
  type CaseStatus,
  type ReadOptions,
  ReportError,
  type ReportReader,
  type ReportSource,
  type TestCase,
} from './report.ts'
import { TextCollector } from './text-collector.ts'
import { warnOfOpenLine } from './check-total.ts'
import { cutText, plainText, relativePath } from './text.ts'

const maxLine = 64 * 1024
/** The maximum number of panics of one program that are held until their tests have failed. */
const maxPanics = 1_000

/** The state of one test program while its output is read. */
interface Binary {
  name: string
  file: string | null
  /** Null until the program prints its number of tests. */
  announced: number | null
  found: Record<CaseStatus, number>
  /** Failed tests wait for their output, which comes after all results. */
  failed: Map<string, { durationMs: number | null; output: string }>
  /** The test that has begun and has no result yet. */
  started: Set<string>
  hasEnded: boolean
  /** The messages of panics, if the output of tests is not captured. */
  panics: Map<string, string>
}

/**
 * Reads the output of `cargo test`. Targets that do not compile, and programs that end without a result, become failed
 * cases.
 */
export const readLibtest: ReportReader = async function* (source, options) {
  const reading = new LibtestReading(source, options)
  for await (const lines of readLines(source, options.limits, maxLine)) {
    for (const line of lines) {
      warnOfOpenLine(source, options, line)
      reading.take(plainText(line.text))
    }
    yield* reading.batch.take()
  }
  reading.end()
  yield* reading.batch.take(true)
}

class LibtestReading {
  readonly batch: CaseBatch
  readonly #source: ReportSource
  readonly #options: ReadOptions
  readonly #output = new TextCollector()
  #binary = newBinary('', null)
  /** The failed test whose output is being read. */
  #outputOf: string | null = null
  /** The test whose panic is printed between the results. */
  #panicOf: string | null = null
  #isList = false
  #hasRun = false
  readonly #problems = new TextCollector()
  #hasProblem = false
  #hasWarned = false

  constructor(source: ReportSource, options: ReadOptions) {
    this.#source = source
    this.#options = options
    this.batch = gatherCases(source, options)
    this.#problems.start(options.limits.maxMessage)
  }

  take(text: string): void {
    const line = parseLibtestLine(text)
    if (line.kind !== 'other' && line.kind !== 'failed-name') this.#endPanic()
    switch (line.kind) {
      case 'binary':
        this.#endBinary()
        this.#binary = newBinary(line.name, line.file === null ? null : relativePath(line.file, this.#options.roots))
        return
      case 'running':
        // A test can print such a line, too.
        if (this.#binary.announced === null) {
          this.#binary.announced = line.count
          this.#hasRun = true
        }
        return
      case 'test':
        if (this.#outputOf === null) return this.#takeTest(line.name, line.status, line.reason, line.durationMs)
        break
      case 'started':
        if (this.#outputOf === null && this.#binary.announced !== null) this.#hold(this.#binary.started, line.name)
        // The program ended, and cargo continues in the same line.
        this.#hasProblem ||= line.rest.startsWith('error: ')
        return this.#takeOther(line.rest, null)
      case 'panic':
        if (this.#outputOf === null) this.#startPanic(line.name)
        break
      case 'output-of':
        if (this.#binary.failed.has(line.name)) return this.#startOutput(line.name)
        break
      case 'result':
        if (this.#binary.announced !== null)
          return this.#takeResult(line.passed, line.failed, line.ignored + line.measured)
        break
      case 'problem':
        this.#hasProblem = true
    }
    this.#takeOther(text, line.kind === 'failed-name' ? line.name : null)
  }

  end(): void {
    const { name, announced, hasEnded } = this.#binary
    if (name !== '' && announced === null && !hasEnded) {
      // Not an error, because the program may use its own test harness.
      this.#options.warn(`${this.#source.name}: the report ends before any result of ${name}`)
    }
    this.#endPanic()
    this.#endBinary()
    if (this.#hasRun) return
    if (!this.#hasProblem) throw new ReportError('malformed', this.#source.name, 'it has no test of cargo')
    const printed = this.#problems.end().trim()
    const place = /--> (\S+?):(\d+):\d+/.exec(printed)
    const crate = /could not compile `(.+?)`/.exec(printed)?.[1] ?? ''
    this.#add({
      suite: crate,
      name: 'build',
      status: 'failed',
      message: printed,
      file: this.#path(place?.[1]),
      line: place ? Number(place[2]) : null,
    })
  }

  #takeTest(name: string, status: CaseStatus, reason: string | null, durationMs: number | null): void {
    const { found, failed, started } = this.#binary
    started.delete(name)
    found[status] += 1
    if (status === 'failed') {
      failed.set(name, { durationMs, output: '' })
      if (this.batch.count() + failed.size > this.#options.limits.maxCases)
        throw tooManyTests(this.#source, this.#options)
    } else this.#add({ ...this.#named(name), status, message: reason, durationMs })
  }

  #hold(names: Set<string>, name: string): void {
    names.add(name)
    if (names.size > this.#options.limits.maxCases) throw tooManyTests(this.#source, this.#options)
  }

  #startOutput(name: string): void {
    this.#endOutput()
    this.#outputOf = name
    this.#output.start(this.#options.limits.maxStack)
  }

  #takeOther(text: string, failedName: string | null): void {
    // The second list with this title contains only names. It also ends the first one.
    if (text === 'failures:') {
      this.#endOutput()
      this.#isList = true
    } else if (this.#isList && failedName !== null && this.#binary.started.has(failedName)) {
      this.#takeTest(failedName, 'failed', null, null)
    }
    if (this.#outputOf !== null || this.#panicOf !== null) this.#output.add(`${text}\n`)
    else if (this.#hasProblem) this.#problems.add(`${text}\n`)
  }

  #startPanic(name: string): void {
    if (this.#binary.panics.size >= maxPanics) return
    this.#panicOf = name
    this.#output.start(this.#options.limits.maxStack)
  }

  #endPanic(): void {
    if (this.#panicOf !== null) this.#binary.panics.set(this.#panicOf, this.#output.end())
    this.#panicOf = null
  }

  #endOutput(): void {
    if (this.#outputOf === null) return
    const failed = this.#binary.failed.get(this.#outputOf)
    if (failed) failed.output = this.#output.end()
    this.#outputOf = null
  }

  #takeResult(passed: number, failed: number, skipped: number): void {
    this.#endOutput()
    const binary = this.#binary
    // A test that prints can hide its own result. It is not in the list of failures.
    for (const name of binary.started) {
      if (binary.found.passed < passed) this.#takeTest(name, 'passed', null, null)
    }
    const missing = failed - binary.found.failed
    const { found } = binary
    // Benchmarks count as passed.
    if (found.passed + found.skipped < passed + skipped && !this.#hasWarned) {
      this.#hasWarned = true
      const rest = passed + skipped - found.passed - found.skipped
      this.#options.warn(
        `${this.#source.name}: ${rest} tests of ${binary.name || 'a program'} are missing, because other output hides their results`,
      )
    }
    this.#addFailed()
    if (missing > 0) {
      const message = `${missing} failed tests are missing, because other output hides their names.`
      this.#add({ suite: binary.name, name: 'failed tests', status: 'failed', message })
    }
    this.#binary = { ...newBinary(binary.name, binary.file), hasEnded: true }
    this.#isList = false
  }

  /** The program has no result, so it was killed or the report was cut off. */
  #endBinary(): void {
    this.#endOutput()
    const { announced, started, name } = this.#binary
    if (announced !== null) {
      const printed = this.#problems.end().trim()
      this.#addFailed()
      const message = `The tests did not end.${printed === '' ? '' : `\n${printed}`}`
      for (const test of started) this.#add({ ...this.#named(test), status: 'failed', message })
      if (started.size === 0) this.#add({ suite: name, name: 'program', status: 'failed', message })
    }
    this.#isList = false
    // Compiler messages are reported only if no test ran.
    if (!this.#hasRun) return
    this.#problems.start(this.#options.limits.maxMessage)
    this.#hasProblem = false
  }

  #addFailed(): void {
    for (const [name, { durationMs, output }] of this.#binary.failed) {
      const { message, stack, file, line } = readPanic(output || (this.#binary.panics.get(name) ?? ''))
      const path = this.#path(file ?? undefined)
      const named = this.#named(name)
      const place = path === null ? {} : { file: path, line }
      this.#add({ ...named, ...(named.line === undefined ? place : {}), status: 'failed', durationMs, message, stack })
    }
  }

  /** The names of documentation tests contain file, item and line. */
  #named(name: string): Pick<TestCase, 'suite' | 'name'> & Partial<TestCase> {
    const { name: binary, file } = this.#binary
    const doc = /^(\S+\.(?:rs|md)) - (.*)\(line (\d+)\)$/.exec(name)
    if (!doc) return { suite: binary, name, file }
    const path = this.#path(doc[1])
    return { suite: binary, name: doc[2]?.trimEnd() || (doc[1] ?? name), file: path, line: Number(doc[3]) }
  }

  #path(path: string | undefined): string | null {
    return path === undefined ? null : relativePath(path, this.#options.roots)
  }

  #add(testCase: Pick<TestCase, 'suite' | 'name' | 'status' | 'message'> & Partial<TestCase>): void {
    const { limits } = this.#options
    const cut = (text: string | null | undefined, max: number) => (text ? cutText(text, max) : null)
    this.batch.add({
      suite: cutText(testCase.suite, limits.maxName),
      name: cutText(testCase.name, limits.maxName),
      file: testCase.file ?? null,
      line: testCase.line ?? null,
      status: testCase.status,
      durationMs: testCase.durationMs ?? null,
      message: cut(testCase.message, limits.maxMessage),
      stack: cut(testCase.stack, limits.maxStack),
      attempts: [],
    })
  }
}

function newBinary(name: string, file: string | null): Binary {
  return {
    name,
    file,
    announced: null,
    found: { passed: 0, failed: 0, skipped: 0 },
    failed: new Map(),
    started: new Set(),
    panics: new Map(),
    hasEnded: false,
  }
}
