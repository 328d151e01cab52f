import { type Context, inTransaction } from '../../base/context.ts'
import { muteResults } from '../../quarantine/mute-results.ts'
import type { ProjectSettings } from '../../projects/schema.ts'
import type { TestRunRow } from '../entity.ts'
import type { TimelineStep } from '../schema.ts'
import { endRun } from '../state.ts'
import { withTestCounts } from '../timeline.ts'
import { addWarning, type RunWarning, withCoverageWarning } from '../warnings.ts'
import { coverageFigures } from '../results/coverage-figures.ts'
import { storeCoverage } from '../../coverage/store.ts'
import { noTests, type Totals } from '../../../engines/reports/totals.ts'
import { findArtifacts, storeArtifacts } from './artifacts.ts'
import type { LeftFile } from '../../workspaces/left-files.ts'
import { withRetry } from '../../base/retry.ts'
import type { TestedPart } from '../../workspaces/run-parts.ts'
import type { GoModule } from '../../../engines/test-plan/go-modules.ts'
import { collectCoverage, findResults } from '../../workspaces/results.ts'
import type { LeftOutTest } from './leave-out.ts'
import { storeLeftOut } from './store-left-out.ts'
import { missingTestsError } from './missing-tests.ts'
import type { Repeated } from './repeat-new-tests.ts'
import { storeRepeated } from './store-repeated.ts'
import { resultReader, type Runners } from './read-reports.ts'
import { type CommandError, resultError } from '../../workspaces/command-error.ts'
import { withLog } from './with-log.ts'

export interface Conclusion {
  runners: Runners
  run: TestRunRow
  settings: ProjectSettings
  tested: readonly TestedPart[]
  /** The files of the commit. */
  paths: readonly string[]
  /** See `findGoModulesApart`. */
  goModules: readonly GoModule[]
  /** Its values are masked in everything that is stored. */
  environment: Readonly<Record<string, string>>
  mask: (text: string) => string
  warnings: readonly RunWarning[]
  /** Tests that quarantine left out. */
  leftOut: readonly LeftOutTest[]
  /** What the repetitions of new tests showed. */
  repeated: Repeated | null
  /** The commands that have ended. */
  timeline: readonly TimelineStep[]
}

interface FoundPart {
  tested: TestedPart
  reports: LeftFile[]
  coverage: LeftFile[]
}

/** Stores and reads the files that the tests left, and ends the run. The results are stored in one transaction. */
export async function concludeRun(ctx: Context, conclusion: Conclusion): Promise<void> {
  const found: FoundPart[] = []
  for (const tested of conclusion.tested) found.push({ tested, ...(await findResults(tested)) })
  const kept = await keepFiles(ctx, conclusion, found)
  await withRetry(() => inTransaction(ctx, (tx) => readAndEnd(tx, conclusion, found, kept)), ctx.signal)
}

async function readAndEnd(tx: Context, conclusion: Conclusion, found: FoundPart[], kept: readonly string[]) {
  const { runners, run, settings, paths, goModules, mask } = conclusion
  const warnings = [...conclusion.warnings]
  const warn = (message: string) => addWarning(warnings, mask(message))
  kept.forEach(warn)
  const reader = resultReader(tx, runners, run.id, { paths, goModules, mask, warn })
  const totals: Totals = { ...noTests }
  let error: CommandError | null = null
  const counts: number[] = []
  for (const { tested, reports } of found) {
    const { part, outcome } = tested
    const result = await reader.read(reports, tested)
    for (const name of Object.keys(totals) as (keyof Totals)[]) totals[name] += result.totals[name]
    counts.push(result.totals.totalTests)
    error ??= resultError({
      command: part.test.command,
      outcome,
      failureExitCodes: part.failureExitCodes,
      totals: result.totals,
      reports: reports.length - result.empty,
      problems: result.problems,
      lookedFor: part.reports,
      framework: part.framework,
      undeclared: part.undeclared,
      testNetwork: settings.testNetwork,
      selection: run.selection,
    })
  }
  await reader.finish()
  totals.flakyTests += await storeRepeated(tx, runners.interactive, run.id, conclusion.repeated?.unsteady ?? [])
  const leftOut = await storeLeftOut(tx, run.id, conclusion.leftOut, { position: totals.totalTests, paths, mask })
  totals.totalTests += leftOut
  totals.skippedTests += leftOut
  const mutedTests = await muteResults(tx, run, 0)
  error ??= await missingTestsError(tx, run)
  const coverage = await collectCoverage(
    runners.background,
    found.map(({ tested, coverage: files }) => ({ ...tested, files })),
    { paths, goModules, warn },
  )
  await storeCoverage(tx, run.id, coverage.files)
  // Without a test, the reports only list the files that a test could cover.
  const percent = totals.totalTests === 0 ? null : coverage.percent
  if (totals.totalTests > 0 && totals.skippedTests === totals.totalTests) warn('All tests were skipped.')
  const ended = await endRun(tx, run, {
    status: error ? 'FAILED' : 'COMPLETED',
    error: error && { code: error.code, message: mask(withLog(error)) },
    ...totals,
    failedTests: totals.failedTests - mutedTests,
    mutedTests,
    timeline: withTestCounts(conclusion.timeline, counts),
    coverage: percent,
    coverageFigures: percent === null ? null : await coverageFigures(tx, run.id),
    warnings: withCoverageWarning(warnings, percent, settings),
  })
  if (!ended) throw new Overtaken()
}

/** Another attempt or a cancellation has ended the run, so the transaction must roll back. */
export class Overtaken extends Error {
  override name = 'Overtaken'
}

async function keepFiles(
  ctx: Context,
  { run, environment }: Conclusion,
  found: readonly FoundPart[],
): Promise<string[]> {
  const files: (LeftFile & { folder: 'reports' | 'coverage' | 'artifacts' })[] = []
  const seen = new Set<string>()
  const add = (folder: 'reports' | 'coverage' | 'artifacts', { path, name }: LeftFile) => {
    if (seen.has(path)) return
    seen.add(path)
    files.push({ folder, path, name })
  }
  for (const { tested, reports, coverage } of found) {
    for (const file of reports) add('reports', file)
    for (const file of coverage) add('coverage', file)
    for (const file of await findArtifacts(tested.root, tested.output, tested.since)) add('artifacts', file)
  }
  return storeArtifacts(ctx, run, files, environment)
}
