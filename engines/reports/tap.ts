import { type CaseBatch, gatherCases } from './case-batch.ts'
import { type Line, readLines } from './lines.ts'
import { type CaseStatus, type ReadOptions, ReportError, type ReportReader, type ReportSource } from './report.ts'
import { type Diagnosis, readDiagnosis, readDuration } from './tap-diagnosis.ts'
import { type Level, newLevel, planProblem } from './tap-level.ts'
import { parseTapLine, type TapLine, type TapPlan, type TestPoint } from './tap-lines.ts'
import { TextCollector } from './text-collector.ts'
import { cutText, plainText } from './text.ts'
import { warnOfOpenLine } from './check-total.ts'

const maxLine = 64 * 1024
const maxLevels = 100

/**
 * Reads TAP 13 and 14, with sub-tests as node:test, tap, perl and vitest write them. A test with sub-tests counts by
 * these alone, unless it failed itself. A plan that does not match is a failed case, because tests are missing.
 */
export const readTap: ReportReader = async function* (source, options) {
  const reading = new TapReading(source, options)
  for await (const lines of readLines(source, options.limits, maxLine)) {
    for (const line of lines) {
      warnOfOpenLine(source, options, line)
      reading.take(line)
    }
    yield* reading.batch.take()
  }
  reading.end()
  yield* reading.batch.take(true)
}

const planName = 'plan'
const bailOutName = 'Bail out!'

/** Whether a failed case is about the report as a whole, and names no test that could run again. */
export const isOfReport = ({ name, file }: { name: string; file: string | null }) =>
  file === null && (name === planName || name === bailOutName)

class TapReading {
  readonly batch: CaseBatch
  readonly #source: ReportSource
  readonly #options: ReadOptions
  #levels: [Level, ...Level[]] = [newLevel(0, '')]
  #yamlIndent: number | null = null
  readonly #yaml = new TextCollector()
  #hasYaml = false
  readonly #comments = new TextCollector()
  /** The last indented range, which is a plan if a test with its first number follows. */
  #range: { indent: number; plan: TapPlan } | null = null
  #hasBailed = false
  #hasSkipped = false
  #isTap = false

  constructor(source: ReportSource, options: ReadOptions) {
    this.#source = source
    this.#options = options
    this.batch = gatherCases(source, options)
  }

  take(line: Line): void {
    if (this.#hasBailed) return
    const indent = line.text.length - line.text.trimStart().length
    if (this.#yamlIndent !== null && this.#takeYaml(line.text, indent, this.#yamlIndent)) return
    const parsed = parseTapLine(line.text)
    if (parsed.kind === 'other') return
    // Only a plan that begins at 1 opens a sub-test. Another indented range is output of a test, unless a test with its
    // first number follows.
    if (parsed.kind === 'plan' && parsed.first !== 1 && indent > this.#level.indent) {
      this.#range = { indent, plan: parsed }
      return
    }
    if (parsed.kind === 'yaml') return this.#startYaml(indent)
    if (parsed.kind === 'comment' && indent > this.#level.indent) return this.#addComment(parsed.text)
    this.#goTo(indent, parsed, line.number)
    this.#takeParsed(parsed, line.number)
  }

  end(): void {
    if (this.#yamlIndent !== null)
      this.#options.warn(`${this.#source.name}: the file ends in the middle of a YAML block`)
    if (!this.#isTap) throw new ReportError('malformed', this.#source.name, 'the report has no test and no plan')
    while (this.#levels.length > 1) this.#closeLevel(true)
    this.#endDocument()
  }

  get #level(): Level {
    return this.#levels.at(-1) ?? this.#levels[0]
  }

  /** Opens or closes levels until the level of the line is reached. */
  #goTo(indent: number, line: TapLine, number: number): void {
    while (this.#levels.length > 1 && indent < this.#level.indent) this.#closeLevel(false)
    const level = this.#level
    if (line.kind === 'close' || indent < level.indent + 2) return
    if (line.kind !== 'point' && line.kind !== 'plan' && line.kind !== 'subtest') return
    if (this.#levels.length >= maxLevels) {
      throw new ReportError('malformed', this.#source.name, `sub-tests are nested more than ${maxLevels} deep`, number)
    }
    const braces = level.point?.opens === true
    if (!braces) this.#flush(level)
    // A comment names sub-tests that are indented.
    const title = braces ? level.point?.description : level.subtest
    const { maxName } = this.#options.limits
    const suite = title ? cutText([level.suite, plainText(title)].filter(Boolean).join(' > '), maxName) : level.suite
    level.subtest = null
    level.children ??= { failed: false }
    this.#levels.push({ ...newLevel(indent, suite), braces, ...this.#planBefore(line, indent) })
  }

  /** Returns the plan of new sub-tests if the range before them begins with the number of the first one. */
  #planBefore(line: TapLine, indent: number): Partial<Level> {
    const range = this.#range
    this.#range = null
    if (range?.indent !== indent || line.kind !== 'point') return {}
    return line.number === range.plan.first ? { plan: range.plan } : { ignoredRange: range.plan.range }
  }

  #takeParsed(line: TapLine, number: number): void {
    const level = this.#level
    switch (line.kind) {
      case 'version':
        if (this.#isTap && level.indent === 0) this.#endDocument()
        return
      case 'plan':
        return this.#takePlan(level, line, number)
      case 'point':
        return this.#takePoint(level, line)
      case 'subtest':
        this.#flush(level)
        level.subtest = line.title
        return
      case 'comment':
        return this.#addComment(line.text)
      case 'bail':
        return this.#bail(line.reason)
      case 'close':
        this.#flush(level)
    }
  }

  #takePlan(level: Level, plan: TapPlan, number: number): void {
    // Tests also print ranges. A plan that does not begin at 1 counts only if the first test has its first number.
    if (plan.first !== 1 && level.plan === null && level.seen > 0 && level.firstNumber !== plan.first) {
      level.ignoredRange ??= plan.range
      return
    }
    if (level.plan !== null) {
      const isComplete = level.indent === 0 && level.plan.count === level.seen
      const isNext = isComplete && (plan.first === 1 || plan.first === level.plan.first + level.seen)
      // A test may print a range of numbers: it does not compete with a plan that begins at 1.
      if (!isNext && plan.first !== 1) return
      if (!isNext && level.plan.first === 1) {
        throw new ReportError('malformed', this.#source.name, 'the report has a second plan', number)
      }
      // Several reports follow each other.
      if (isNext) this.#endDocument()
    }
    this.#flush(this.#level)
    this.#isTap = true
    this.#level.plan = plan
    if (plan.count === 0 && plan.reason !== '' && !this.#hasSkipped) {
      this.#hasSkipped = true
      const reason = plainText(plan.reason).slice(0, 200)
      this.#options.warn(`${this.#source.name}, line ${number}: all tests were skipped: ${reason}`)
    }
  }

  #takePoint(level: Level, point: TestPoint): void {
    this.#flush(level)
    this.#isTap = true
    if (level.seen === 0) {
      level.firstNumber = point.number
      const { plan } = level
      if (plan !== null && plan.first !== 1 && point.number !== null && point.number !== plan.first) {
        level.plan = null
        level.ignoredRange = plan.range
      }
    }
    level.seen += 1
    level.subtest = null
    level.point = point
    this.#hasYaml = false
    this.#comments.start(this.#options.limits.maxMessage)
  }

  #startYaml(indent: number): void {
    const { point } = this.#level
    if (point === null || point.opens || indent <= this.#level.indent) return
    this.#yamlIndent = indent
    this.#hasYaml = true
    this.#yaml.start(this.#options.limits.maxStack * 2)
  }

  /** Whether the line belongs to the block. A block without an end line ends with its indentation. */
  #takeYaml(line: string, indent: number, yamlIndent: number): boolean {
    const isEmpty = line.trim() === ''
    if (!isEmpty && indent < yamlIndent) {
      this.#yamlIndent = null
      return false
    }
    if (indent === yamlIndent && line.trim() === '...') this.#yamlIndent = null
    else this.#yaml.add(`${isEmpty ? '' : line.slice(yamlIndent)}\n`)
    return true
  }

  #addComment(text: string): void {
    if (this.#level.point !== null) this.#comments.add(`${text}\n`)
  }

  /** Adds the last test to the batch, because all lines about it have been read. */
  #flush(level: Level): void {
    const { point, children } = level
    if (point === null) return
    level.point = null
    level.children = null
    const failed = !point.ok && point.directive === null
    if (failed) level.hasFailed = true
    if (children && (!failed || children.failed)) return
    const status: CaseStatus = point.directive ? 'skipped' : failed ? 'failed' : 'passed'
    const yaml = this.#hasYaml ? this.#yaml.end() : ''
    this.#hasYaml = false
    const { limits } = this.#options
    this.batch.add({
      suite: level.suite,
      name: cutText(
        plainText(point.description) || `test ${(level.plan?.first ?? 1) - 1 + level.seen}`,
        limits.maxName,
      ),
      ...this.#diagnosis(point, status, yaml),
      status,
      durationMs: point.durationMs ?? readDuration(yaml),
      attempts: [],
    })
  }

  #diagnosis(point: TestPoint, status: CaseStatus, yaml: string): Diagnosis {
    const nothing = { message: null, stack: null, file: null, line: null }
    if (status === 'passed') return nothing
    const { limits } = this.#options
    if (status === 'skipped') {
      return { ...nothing, message: cutText(plainText(point.reason), limits.maxMessage) || point.directive }
    }
    if (yaml !== '') return readDiagnosis(yaml, this.#options)
    const comments = this.#comments.end().trim()
    this.#comments.start(this.#options.limits.maxMessage)
    return { ...nothing, message: comments === '' ? null : comments }
  }

  #closeLevel(atEnd: boolean): void {
    const level = this.#level
    this.#flush(level)
    if (level.seen === 0 && (level.plan?.count ?? 0) === 0) {
      // An empty level has no influence on its point.
      this.#levels.pop()
      this.#level.children = null
      return
    }
    this.#checkPlan(level, atEnd)
    this.#levels.pop()
    const parent = this.#level
    parent.children = { failed: level.hasFailed || parent.children?.failed === true }
  }

  #checkPlan(level: Level, isCut: boolean): void {
    const problem = planProblem(level, isCut)
    if (problem !== null) this.#addFailure(level, planName, problem)
  }

  #bail(reason: string): void {
    while (this.#levels.length > 1) {
      this.#flush(this.#level)
      this.#levels.pop()
    }
    this.#flush(this.#level)
    this.#addFailure(this.#level, bailOutName, reason === '' ? 'The run was aborted.' : reason)
    this.#hasBailed = true
    this.#isTap = true
  }

  #endDocument(): void {
    while (this.#levels.length > 1) this.#closeLevel(true)
    const [level] = this.#levels
    this.#flush(level)
    if (!this.#hasBailed) this.#checkPlan(level, false)
    this.#levels = [newLevel(0, '')]
  }

  #addFailure(level: Level, name: string, message: string): void {
    level.hasFailed = true
    const { limits } = this.#options
    this.batch.add({
      suite: level.suite,
      name,
      file: null,
      line: null,
      status: 'failed',
      durationMs: null,
      message: cutText(plainText(message), limits.maxMessage),
      stack: null,
      attempts: [],
    })
  }
}
