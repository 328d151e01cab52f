import { join } from 'node:path/posix'
import type { ExecutionOutcome } from '../../../engines/sandbox/executor.ts'
import type { TaskRunner } from '../../../engines/processes/tasks.ts'
import type { LeftFile } from '../left-files.ts'
import { openRegularFile } from '../../../engines/source/regular-file.ts'
import type { GoModule } from '../../../engines/test-plan/go-modules.ts'
import { collectCoverage, findResults, type LeftBehind, readReports, seenFrom } from '../results.ts'
import { resultError } from '../command-error.ts'
import { noTests, type Totals } from '../../../engines/reports/totals.ts'
import { cutText, plainText, withRepositoryPaths } from '../../../engines/reports/text.ts'
import type { Surroundings } from '../../../engines/verdicts/failure-place.ts'
import { explainHangApart } from '../../../engines/verdicts/judge-apart.ts'
import { withPrintedReasons } from '../../../engines/verdicts/printed-reasons.ts'
import { lengthOf, readCasesApart } from '../../../engines/verdicts/read-cases.ts'
import { measuredOf } from './measured.ts'
import { runningTestsFile, stacksFile } from './steps.ts'
import type { Measured, OutcomeCase, RunOutcome, TestFile } from '../../../engines/verdicts/outcome.ts'

export interface ReadOutcome {
  /** For the tasks that read what the run left. */
  runner: TaskRunner
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
const maxCaseLength = 32 * 2 ** 20
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
  const files = new Set(paths)
  const readable = (text: string) => withRepositoryPaths(text, left.seenAs, files)
  const isEndless = execution.reason === 'wall' || execution.reason === 'cpu'
  return {
    execution,
    cases: withPrintedReasons(cases, output, { ...surroundings(left, options), files }).map((test) =>
      test.kind === 'not_built' && test.message !== null ? { ...test, message: readable(test.message) } : test,
    ),
    totals,
    problem: problem && { ...problem, message: mask(problem.message) },
    coverage: await readCoverage(found.coverage, left, { runner: options.runner, paths, goModules, warn }),
    hang:
      isEndless && options.test
        ? await explainHangApart(
            options.runner,
            {
              written: await readTrace(left.output, stacksFile),
              runningTests: await readTrace(left.output, runningTestsFile),
              printed: output,
              test: options.test,
              around: surroundings(left, options),
            },
            paths,
          )
        : null,
    output: readable(output).slice(-maxOutputLength).toWellFormed(),
    warnings: [...warnings],
  }
}

async function readCases(
  files: readonly LeftFile[],
  left: LeftBehind,
  options: ReadOutcome & { warn: (message: string) => void },
) {
  const { runner, mask, paths } = options
  const { directory } = left.part
  const cases: OutcomeCase[] = []
  const totals: Totals = { ...noTests }
  let length = 0
  const { problems, empty } = await readReports(files, left.part, async (file) => {
    const input = {
      file,
      roots: [join(left.seenAs, directory), left.seenAs],
      goModules: seenFrom(directory, options.goModules),
      framework: left.part.framework,
      ...surroundings(left, options),
      maxCases: maxCases - cases.length,
      maxLength: maxCaseLength - length,
    }
    const read = await readCasesApart(runner, input, paths, options.warn)
    for (const name of Object.keys(totals) as (keyof Totals)[]) totals[name] += read.totals[name]
    for (const test of read.cases) {
      length += lengthOf(test)
      const message = test.message === null ? null : cutText(mask(test.message), maxMessageLength)
      cases.push({ ...test, suite: mask(test.suite), name: mask(test.name), message })
    }
  })
  return { cases, totals, problems, empty }
}

const surroundings = ({ seenAs, part }: LeftBehind, { test }: ReadOutcome): Omit<Surroundings, 'files'> => ({
  testPath: test?.path ?? null,
  root: seenAs,
  directory: part.directory,
})

const maxTraceBytes = 256 * 2 ** 10

async function readTrace(folder: string, name: string): Promise<string> {
  const file = await openRegularFile(join(folder, name))
  if (!file) return ''
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxTraceBytes), 0, maxTraceBytes, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

async function readCoverage(
  files: readonly LeftFile[],
  left: LeftBehind,
  { runner, ...options }: Pick<ReadOutcome, 'runner' | 'paths' | 'goModules'> & { warn: (message: string) => void },
): Promise<Measured | null> {
  if (files.length === 0) return null
  const coverage = await collectCoverage(runner, [{ ...left, files }], { ...options, withBranches: true })
  return measuredOf(coverage.files)
}
