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

const maxWarningLength = 500
const maxCoveredFiles = 50_000
/** The maximum of a Postgres `integer`. */
const maxDurationLength = 2 ** 31 - 1

interface Addition {
  run: TestRunRow
  project: Pick<ProjectRow, 'id' | 'repository'>
  /** The folder of the checkout where the tests ran. */
  root: string | undefined
  files: readonly ReceivedFile[]
}

/**
 * Reads reports and coverage into a run, in the caller's transaction, which has locked the run's row.
 *
 * @returns the changed fields of the run
 * @throws ReportError if a file cannot be read
 */
export async function addResultsToRun(
  tx: Context,
  { run, project, root, files }: Addition,
): Promise<Partial<TestRunRow>> {
  const warnings = [...run.warnings]
  const warn = (text: string) => addWarning(warnings, short(plainText(text), maxWarningLength))
  const roots = checkoutFolders(project.repository, root)
  const open = reportOpener()
  const change = await addTests(tx, run, files, open, { roots, limits: reportLimits, warn })

  const covering = files.filter(({ part }) => part === 'coverage')
  const coverage = await readCoverage(tx, project.id, covering, open, { roots, rootHint: rootHint(root), warn })
  return {
    ...change,
    ...(covering.length > 0 ? { coverage: await mergeCoverage(tx, run.id, [...coverage.files()]) } : {}),
    warnings,
  }
}

/**
 * Reads the coverage files. If their paths match no known root, guesses the root from the files of the latest analysis
 * and reads them again.
 */
async function readCoverage(
  tx: Context,
  projectId: string,
  files: readonly ReceivedFile[],
  open: ReturnType<typeof reportOpener>,
  { roots, rootHint, warn }: Pick<CoverageOptions, 'roots' | 'rootHint' | 'warn'>,
): Promise<CoverageCollector> {
  const read = async (open: ReturnType<typeof reportOpener>, roots: readonly string[]) => {
    const warnings: string[] = []
    const coverage = createCoverage({
      roots,
      paths: null,
      rootHint,
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
  // New results continue after the existing ones.
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

/** Parts of a run are executed in parallel, so the run takes as long as the longest part. */
function longer(before: number | null, milliseconds: number | null): number | null {
  if (milliseconds === null) return before
  return Math.max(before ?? 0, Math.min(Math.round(milliseconds), maxDurationLength))
}

const rootHint = (root: string | undefined) =>
  root === undefined
    ? 'Send the folder of the checkout as the field `root` (`assay upload --root`).'
    : `They are not in ${root.slice(0, 200)}, the field \`root\`. Send the folder of the checkout that the tests ran in (\`assay upload --root\`).`
