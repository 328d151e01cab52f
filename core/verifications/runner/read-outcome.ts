import { join } from 'node:path/posix'
import type { ExecutionOutcome } from '../../../engines/sandbox/executor.ts'
import { classFiles } from '../../../engines/reports/class-files.ts'
import { readReport } from '../../../engines/reports/read-report.ts'
import { reportLimits, type TestCase } from '../../../engines/reports/report.ts'
import { type LeftFile, openLeftFile } from '../../workspaces/left-files.ts'
import type { GoModule } from '../../workspaces/planned-source.ts'
import { collectCoverage, findResults, type LeftBehind, readReports, seenFrom } from '../../workspaces/results.ts'
import { resultError } from '../../workspaces/command-error.ts'
import { noTests, type Totals } from '../../../engines/reports/totals.ts'
import { cutText, plainText } from '../../../engines/reports/text.ts'
import { explainFailure } from '../../../engines/verdicts/failure-kind.ts'
import type { Surroundings } from '../../../engines/verdicts/failure-place.ts'
import { explainHang, type HangTraces } from '../../../engines/verdicts/hang.ts'
import { measuredOf } from './measured.ts'
import { runningTestsFile, stacksFile } from './steps.ts'
import type { Measured, OutcomeCase, RunOutcome, TestFile } from '../../../engines/verdicts/outcome.ts'

export interface ReadOutcome {
  execution: ExecutionOutcome
  /** The files of the commit and of the test. */
  paths: readonly string[]
  goModules: readonly GoModule[]
  /** The verified test, which failures are attributed to. Null for the baseline. */
  test: TestFile | null
  testNetwork: boolean
  mask: (text: string) => string
  /** The end of the output. */
  printed: string
  /** The command of the step, for messages. */
  command: string
}

const maxCases = 20_000
const maxCaseBytes = 32 * 2 ** 20
const maxMessageLength = 2_000
const maxOutputLength = 8_192
const maxWarnings = 20

/** Reads the reports and the coverage of one run without storing them. */
export async function readOutcome(left: LeftBehind, options: ReadOutcome): Promise<RunOutcome> {
  const { execution, mask, paths, goModules } = options
  const warnings = new Set<string>()
  const warn = (message: string) => {
    if (warnings.size < maxWarnings) warnings.add(mask(message))
  }
  const found = await findResults(left)
  const { cases, totals, problems, empty } = await readCases(found.reports, left, { ...options, warn })
  const problem = resultError({
    command: options.command,
    outcome: execution,
    failureExitCodes: left.part.failureExitCodes,
    totals,
    reports: found.reports.length - empty,
    problems,
    lookedFor: left.part.reports,
    framework: left.part.framework,
    undeclared: left.part.undeclared,
    testNetwork: options.testNetwork,
    selection: null,
  })
  const output = plainText(mask(options.printed)).trimEnd()
  const isEndless = execution.reason === 'wall' || execution.reason === 'cpu'
  return {
    execution,
    cases,
    totals,
    problem: problem && { ...problem, message: mask(problem.message) },
    coverage: await readCoverage(found.coverage, left, { paths, goModules, warn }),
    hang:
      isEndless && options.test
        ? explainHang(await readTraces(left, output), options.test, surroundings(left, options))
        : null,
    output: output.slice(-maxOutputLength).toWellFormed(),
    warnings: [...warnings],
  }
}

async function readCases(
  files: readonly LeftFile[],
  left: LeftBehind,
  options: ReadOutcome & { warn: (message: string) => void },
) {
  const { directory } = left.part
  const cases: OutcomeCase[] = []
  const totals: Totals = { ...noTests }
  let bytes = 0
  const withClassFile = classFiles(options.paths)
  const readOptions = {
    roots: [join(left.seenAs, directory), left.seenAs],
    limits: reportLimits,
    warn: options.warn,
    goModules: seenFrom(directory, options.goModules),
  }
  const add = (test: TestCase) => {
    totals.totalTests++
    totals[`${test.status}Tests`]++
    if (cases.length >= maxCases || bytes > maxCaseBytes) return
    const placed = withClassFile({ ...test, file: test.file === null ? null : join(directory, test.file) })
    const kept = outcomeCase(placed, left, options)
    bytes += kept.suite.length + kept.name.length + (kept.message?.length ?? 0)
    cases.push(kept)
  }
  const { problems, empty } = await readReports(files, left.part, async (source) => {
    const report = await readReport(source, readOptions)
    for await (const batch of report.cases) batch.forEach(add)
  })
  return { cases, totals, problems, empty }
}

function outcomeCase(test: TestCase, left: LeftBehind, options: ReadOutcome): OutcomeCase {
  const { mask, paths } = options
  const { status, durationMs, failure } = test
  const testPath = options.test?.path ?? null
  const file = ownName(test.file, testPath, paths)
  const message = test.message === null ? null : cutText(mask(test.message), maxMessageLength)
  const { kind, place } =
    status === 'failed'
      ? explainFailure({
          framework: left.part.framework,
          test,
          ...surroundings(left, options),
          testPath: testPath ?? file,
        })
      : { kind: null, place: null }
  return { suite: mask(test.suite), name: mask(test.name), file, status, durationMs, message, failure, kind, place }
}

const surroundings = ({ seenAs, part }: LeftBehind, { test, paths }: ReadOutcome): Surroundings => ({
  testPath: test?.path ?? null,
  root: seenAs,
  directory: part.directory,
  files: setOf(paths),
})

const maxTraceBytes = 256 * 2 ** 10

/** Reads the stack traces that `watchedStep` makes a run write. Python prints them instead. */
async function readTraces({ output }: LeftBehind, printed: string): Promise<HangTraces> {
  const [written, runningTests] = [await readTrace(output, stacksFile), await readTrace(output, runningTestsFile)]
  const dumpAt = printed.search(/Timeout \(\d+:\d\d:\d\d(?:\.\d+)?\)!\n(?!.*Timeout \(\d+:\d\d:\d\d)/s)
  return { stacks: dumpAt < 0 ? written : `${written}\n${printed.slice(dumpAt)}`, runningTests }
}

async function readTrace(folder: string, name: string): Promise<string> {
  const file = await openLeftFile(join(folder, name))
  if (!file) return ''
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxTraceBytes), 0, maxTraceBytes, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Recognizes the file of the test by the end of a longer path, which runners started in another folder report. */
function ownName(file: string | null, testPath: string | null, paths: readonly string[]): string | null {
  return testPath !== null && file?.endsWith(`/${testPath}`) && !setOf(paths).has(file) ? testPath : file
}

const sets = new WeakMap<readonly string[], ReadonlySet<string>>()

/** Caches the set for all runs on one commit. */
function setOf(paths: readonly string[]): ReadonlySet<string> {
  const known = sets.get(paths)
  if (known) return known
  const made = new Set(paths)
  sets.set(paths, made)
  return made
}

async function readCoverage(
  files: readonly LeftFile[],
  left: LeftBehind,
  options: Pick<ReadOutcome, 'paths' | 'goModules'> & { warn: (message: string) => void },
): Promise<Measured | null> {
  if (files.length === 0) return null
  return measuredOf(await collectCoverage([{ ...left, files }], options))
}
