import type { Context } from '../../base/context.ts'
import { latestFilePaths } from '../../analysis/file-paths.ts'
import type { ProjectRow } from '../../projects/entity.ts'
import { createCoverage } from '../../../engines/coverage/collect.ts'
import type { CoverageCollector, CoverageOptions } from '../../../engines/coverage/coverage.ts'
import { findRoot } from '../../../engines/coverage/find-root.ts'
import type { TestRunRow } from '../entity.ts'
import { addWarning } from '../warnings.ts'
import { short } from '../failures/short.ts'
import { testIdentities } from '../../../engines/reports/identity.ts'
import { readReport } from '../../../engines/reports/read-report.ts'
import { reportLimits } from '../../../engines/reports/report.ts'
import { plainText } from '../../../engines/reports/text.ts'
import { correctIdentities, storeResults } from '../results/store-results.ts'
import type { Totals } from '../../../engines/reports/totals.ts'
import { checkoutFolders } from './checkout-folders.ts'
import { mergeCoverage } from './merge-coverage.ts'
import { reportOpener } from './open-report.ts'
import type { ReceivedFile } from './receive.ts'

const maxWarnings = 50
const maxWarningLength = 500
const maxCoveredFiles = 50_000
/** What its column holds. */
const maxDurationLength = 2 ** 31 - 1

interface Addition {
  run: TestRunRow
  project: Pick<ProjectRow, 'id' | 'repository'>
  /** Where the checkout was. */
  root: string | undefined
  files: readonly ReceivedFile[]
}

/**
 * Reads reports and coverage into a run, in the caller's transaction, which has the run's row locked.
 *
 * @returns what the run has come to
 * @throws ReportError where a file cannot be read
 */
export async function addResultsToRun(
  tx: Context,
  { run, project, root, files }: Addition,
): Promise<Partial<TestRunRow>> {
  const warnings = [...run.warnings]
  const warn = (text: string) => addWarning(warnings, short(plainText(text), maxWarningLength), maxWarnings)
  const roots = checkoutFolders(project.repository, root)
  const open = reportOpener()
  const change = await addTests(tx, run, files, open, { roots, limits: reportLimits, warn })

  const covering = files.filter(({ part }) => part === 'coverage')
  const coverage = await readCoverage(tx, project.id, covering, open, { roots, warn })
  return {
    ...change,
    ...(covering.length > 0 ? { coverage: await mergeCoverage(tx, run.id, [...coverage.files()]) } : {}),
    warnings,
  }
}

/** A second time where the files of the latest analysis show the folder that the report's absolute names begin with. */
async function readCoverage(
  tx: Context,
  projectId: string,
  files: readonly ReceivedFile[],
  open: ReturnType<typeof reportOpener>,
  { roots, warn }: Pick<CoverageOptions, 'roots' | 'warn'>,
): Promise<CoverageCollector> {
  const read = async (open: ReturnType<typeof reportOpener>, roots: readonly string[]) => {
    const warnings: string[] = []
    const coverage = createCoverage({
      roots,
      paths: null,
      rootHint: 'Send the folder of the checkout as the field `root`.',
      maxBytes: reportLimits.maxBytes,
      maxFiles: maxCoveredFiles,
      warn: (text) => warnings.push(text),
    })
    for (const file of files) await coverage.add(open(file))
    return { coverage, warnings }
  }
  let result = await read(open, roots)
  const names = result.coverage.unmatched()
  const root = names.length === 0 ? null : findRoot(names, await latestFilePaths(tx, projectId))
  if (root !== null) result = await read(reportOpener(), [...roots, root])
  for (const warning of result.warnings) warn(warning)
  return result.coverage
}

async function addTests(
  tx: Context,
  run: TestRunRow,
  files: readonly ReceivedFile[],
  open: ReturnType<typeof reportOpener>,
  options: Parameters<typeof readReport>[1],
): Promise<Totals & { duration: number | null }> {
  const identities = testIdentities()
  let milliseconds: number | null = null
  async function* cases() {
    for (const file of files.filter(({ part }) => part === 'reports')) {
      const report = await readReport(open(file), options)
      for await (const batch of report.cases) {
        for (const { durationMs } of batch) if (durationMs !== null) milliseconds = (milliseconds ?? 0) + durationMs
        yield batch
      }
    }
  }
  // Every result so far has a place of its own.
  const position = run.totalTests
  const added = await storeResults(tx, { id: run.id, position, identify: identities.keyOf }, cases())
  await correctIdentities(tx, run.id, identities, position)
  return {
    totalTests: run.totalTests + added.totalTests,
    passedTests: run.passedTests + added.passedTests,
    failedTests: run.failedTests + added.failedTests,
    skippedTests: run.skippedTests + added.skippedTests,
    flakyTests: run.flakyTests + added.flakyTests,
    duration: longer(run.duration, milliseconds),
  }
}

/** Parts of a run run side by side, so that it takes as long as the longest of them. */
function longer(before: number | null, milliseconds: number | null): number | null {
  if (milliseconds === null) return before
  return Math.max(before ?? 0, Math.min(Math.round(milliseconds), maxDurationLength))
}
