import { type CaseBatch, gatherCases, tooManyTests } from './case-batch.ts'
import { type GoEvent, parseGoEvent } from './go-events.ts'
import { readGoOutput } from './go-output.ts'
import { readLines } from './lines.ts'
import { type CaseStatus, type ReadOptions, ReportError, type ReportReader, type ReportSource } from './report.ts'
import { TextCollector } from './text-collector.ts'
import { warnOfOpenLine } from './check-total.ts'
import { cutText } from './text.ts'

const maxLine = 1024 * 1024
/** The maximum number of characters of output that are held for running tests and packages. */
const maxHeld = 64 * 2 ** 20

const ends = new Map<string, CaseStatus>([
  ['pass', 'passed'],
  ['bench', 'passed'],
  ['fail', 'failed'],
  ['skip', 'skipped'],
])

interface RunningTest {
  output: TextCollector
  hasChildren: boolean
  childFailed: boolean
}

interface GoPackage {
  running: Map<string, RunningTest>
  output: TextCollector
  hasFailed: boolean
}

/**
 * Reads `go test -json`. A test with sub-tests counts only through these unless it failed itself. A package that failed
 * without a failed test, for example because it did not compile, becomes one failed case.
 */
export const readGoJson: ReportReader = async function* (source, options) {
  const reading = new GoReading(source, options)
  for await (const lines of readLines(source, options.limits, maxLine)) {
    for (const line of lines) {
      warnOfOpenLine(source, options, line)
      const event = line.cut ? null : parseGoEvent(line.text, line.number, source)
      if (event) reading.take(event)
      else reading.takePlain(line.text, line.number)
    }
    yield* reading.batch.take()
  }
  reading.end()
  yield* reading.batch.take(true)
}

class GoReading {
  readonly batch: CaseBatch
  readonly #source: ReportSource
  readonly #options: ReadOptions
  readonly #packages = new Map<string, GoPackage>()
  readonly #builds = new Map<string, TextCollector>()
  /** The output of compilers that is not in events. */
  #plain: TextCollector
  #open = 0
  #events = 0
  #strayLines = 0
  #firstStray = 0

  constructor(source: ReportSource, options: ReadOptions) {
    this.#source = source
    this.#options = options
    this.batch = gatherCases(source, options)
    this.#plain = this.#newOutput()
  }

  take(event: GoEvent): void {
    this.#events += 1
    if (event.action === 'build-output') return this.#build(event.importPath).add(event.output)
    if (event.action === 'build-fail') {
      this.#build(event.importPath)
      return
    }
    if (event.package === '') return
    const pkg = this.#package(event.package)
    const status = ends.get(event.action)
    if (event.test !== '') {
      if (status) this.#endTest(pkg, event.package, event.test, status, event.elapsedMs)
      else if (event.action === 'output') this.#test(pkg, event.test).output.add(event.output)
      else if (event.action === 'run') this.#start(pkg, event.package, event.test)
    } else if (event.action === 'output') pkg.output.add(event.output)
    else if (status) this.#endPackage(pkg, event, status)
  }

  takePlain(line: string, number: number): void {
    if (line.trim() === '') return
    const [, name, step] = /^FAIL\t(\S+) \[(build|setup) failed\]/.exec(line) ?? []
    if (name !== undefined) {
      this.#events += 1
      const printed = this.#plain.end().trimEnd()
      // Before Go 1.24 the compiler prints to stderr, which the report does not contain.
      const problem = step === 'build' ? 'The package does not compile' : 'The package cannot be loaded'
      if (printed === '') this.#addPackageCase(name, `${problem}: ${line}\nThe log says why.`, 'unexplained')
      else this.#addPackageCase(name, `${printed}\n${line}`)
      this.#plain = this.#newOutput()
      return
    }
    this.#plain.add(`${line}\n`)
    this.#strayLines += 1
    if (this.#strayLines === 1) this.#firstStray = number
  }

  end(): void {
    if (this.#events === 0) throw new ReportError('malformed', this.#source.name, 'no line is an event of go test')
    if (this.#strayLines > 0) {
      const first = `first: line ${this.#firstStray}`
      this.#options.warn(`${this.#source.name}: ${this.#strayLines} lines are not events (${first})`)
    }
    for (const [name, pkg] of this.#packages) {
      const before = this.batch.count()
      this.#endRunning(pkg, name, 'failed')
      if (this.batch.count() === before)
        this.#addPackageCase(name, `${pkg.output.end()}\nThe tests of the package did not end.`.trim())
    }
    for (const [importPath, output] of this.#builds) this.#addPackageCase(withoutVariant(importPath), output.end())
  }

  #package(name: string): GoPackage {
    const known = this.#packages.get(name)
    if (known) return known
    this.#count()
    const pkg: GoPackage = { running: new Map(), output: this.#newOutput(), hasFailed: false }
    this.#packages.set(name, pkg)
    return pkg
  }

  #test(pkg: GoPackage, name: string): RunningTest {
    const known = pkg.running.get(name)
    if (known) return known
    this.#count()
    const test: RunningTest = { output: this.#newOutput(), hasChildren: false, childFailed: false }
    pkg.running.set(name, test)
    const parent = this.#parent(pkg, name)
    if (parent) parent.hasChildren = true
    return test
  }

  /** Names of sub-tests may have slashes themselves. */
  #parent(pkg: GoPackage, name: string): RunningTest | undefined {
    for (let end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1)) {
      const parent = pkg.running.get(name.slice(0, end))
      if (parent) return parent
    }
    return undefined
  }

  #start(pkg: GoPackage, packageName: string, name: string): void {
    // The test started again without an end.
    if (pkg.running.has(name)) this.#endTest(pkg, packageName, name, 'failed', null, 'not_ended')
    this.#test(pkg, name)
  }

  #endTest(
    pkg: GoPackage,
    packageName: string,
    name: string,
    status: CaseStatus,
    durationMs: number | null,
    failure?: 'not_ended',
  ): void {
    const test = this.#test(pkg, name)
    pkg.running.delete(name)
    this.#open -= 1
    const parent = this.#parent(pkg, name)
    if (status === 'failed') {
      pkg.hasFailed = true
      if (parent) parent.childFailed = true
    }
    if (test.hasChildren && status !== 'failed') return
    const parsed = readGoOutput(status === 'passed' ? '' : test.output.end(), packageName, this.#options)
    if (test.hasChildren && test.childFailed && !parsed.isOwn) return
    const { limits } = this.#options
    const message = [failure ? 'The test did not end.' : '', parsed.message ?? '']
      .filter((text) => text !== '')
      .join('\n')
    this.batch.add({
      suite: cutText(packageName, limits.maxName),
      name: cutText(name, limits.maxName),
      file: parsed.file,
      line: parsed.line,
      status,
      durationMs,
      message: message === '' ? null : cutText(message, limits.maxMessage),
      stack: parsed.stack,
      ...(failure ? { failure } : {}),
      attempts: [],
    })
  }

  #endPackage(pkg: GoPackage, event: GoEvent, status: CaseStatus): void {
    // A test that prints without a newline hides its end; the end of the package is enough.
    this.#endRunning(pkg, event.package, status === 'failed' ? 'failed' : 'passed')
    const build = this.#builds.get(event.failedBuild)
    if (status === 'failed' && !pkg.hasFailed) {
      this.#addPackageCase(event.package, `${build?.end() ?? ''}${pkg.output.end()}`)
    }
    if (build) this.#open -= 1
    this.#builds.delete(event.failedBuild)
    this.#packages.delete(event.package)
    this.#open -= 1
  }

  /** Ends inner tests first, so that outer tests know their results. */
  #endRunning(pkg: GoPackage, packageName: string, status: CaseStatus): void {
    const failure = status === 'failed' ? 'not_ended' : undefined
    for (const name of [...pkg.running.keys()].toReversed()) {
      this.#endTest(pkg, packageName, name, status, null, failure)
    }
  }

  #addPackageCase(name: string, output: string, failure?: 'unexplained'): void {
    const parsed = readGoOutput(output, name, this.#options)
    const { limits } = this.#options
    this.batch.add({
      suite: cutText(name, limits.maxName),
      name: 'package',
      file: parsed.file,
      line: parsed.line,
      status: 'failed',
      durationMs: null,
      message: parsed.message ?? 'The package failed.',
      stack: parsed.stack,
      ...(failure ? { failure } : {}),
      attempts: [],
    })
  }

  #build(importPath: string): TextCollector {
    const known = this.#builds.get(importPath)
    if (known) return known
    this.#count()
    const output = this.#newOutput()
    this.#builds.set(importPath, output)
    return output
  }

  #newOutput(): TextCollector {
    const output = new TextCollector()
    // The limit of each output depends on the number of outputs.
    output.start(Math.min(this.#options.limits.maxStack, Math.floor(maxHeld / 6 / (this.#open + 1))))
    return output
  }

  #count(): void {
    this.#open += 1
    if (this.#open > this.#options.limits.maxCases) throw tooManyTests(this.#source, this.#options)
  }
}

/** Removes the test variant from names such as `example.org/shop [example.org/shop.test]`. */
const withoutVariant = (importPath: string) => importPath.replace(/ \[.*$/s, '')
