import type { Context } from '../../base/context.ts'
import { engineRunner } from '../../base/engines.ts'
import { latestFilePaths } from '../../analysis/file-paths.ts'
import type { ProjectRow } from '../../projects/entity.ts'
import { ownerOf } from '../../projects/owner.ts'
import { collectCoverageApart } from '../../../engines/coverage/collect-apart.ts'
import type { TaskRunner } from '../../../engines/processes/tasks.ts'
import type { TestRunRow } from '../entity.ts'
import { addStep } from '../timeline.ts'
import { addWarning } from '../warnings.ts'
import { short } from '../failures/short.ts'
import { testIdentities } from '../../../engines/reports/identity.ts'
import { readReportApart } from '../../../engines/reports/read-apart.ts'
import { reportLimits } from '../../../engines/reports/report.ts'
import { plainText } from '../../../engines/reports/text.ts'
import { muteResults } from '../../quarantine/mute-results.ts'
import { storeTestFiles } from '../results/store-files.ts'
import { correctIdentities, storeResults } from '../results/store-results.ts'
import type { Totals } from '../../../engines/reports/totals.ts'
import { checkoutFolders } from './checkout-folders.ts'
import { coverageFigures } from '../results/coverage-figures.ts'
import { mergeCoverage } from '../../coverage/merge.ts'
import type { ReceivedFile } from './receive.ts'

const maxWarningLength = 500
const maxCoveredFiles = 50_000
/** Of all unpacked reports of one upload. */
const maxUnpackedBytes = 512 * 2 ** 20
/** The maximum of a Postgres `integer`. */
const maxDurationLength = 2 ** 31 - 1

interface Addition {
  run: TestRunRow
  project: Pick<ProjectRow, 'id' | 'repository' | 'userId' | 'organizationId'>
  variant: string
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
  { run, project, variant, root, files }: Addition,
): Promise<Partial<TestRunRow>> {
  const warnings = [...run.warnings]
  const warn = (text: string) => addWarning(warnings, short(plainText(text), maxWarningLength))
  const roots = checkoutFolders(project.repository, root)
  const runner = engineRunner(tx, 'background', ownerOf(project))
  const reports = files.filter(({ part }) => part === 'reports')
  const { totals, added, milliseconds, unpackedBytes } = await addTests(tx, runner, run, reports, {
    variant,
    roots,
    warn,
  })
  const timeline = [...(run.timeline ?? [])]
  addStep(timeline, {
    label: (reports[0] ?? files[0])?.name ?? 'upload',
    kind: 'upload',
    startedAt: tx.now().toISOString(),
    durationMs: longer(null, milliseconds) ?? 0,
    tests: added.totalTests,
    outcome: added.failedTests > 0 ? 'failed' : 'ok',
  })
  const left = maxUnpackedBytes - unpackedBytes
  const covering = files.filter(({ part }) => part === 'coverage')
  if (covering.length === 0) return { ...totals, warnings, timeline }
  const coverage = await collectCoverageApart(
    runner,
    {
      files: covering.map(({ path, name }) => ({ path, name, maxUnpackedBytes: left })),
      isStrict: true,
      roots,
      rootHint: rootHint(root),
      guessesRoot: true,
      maxBytes: reportLimits.maxBytes,
      maxFiles: maxCoveredFiles,
    },
    { paths: null, findPaths: () => latestFilePaths(tx, project.id), warn },
  )
  const percent = await mergeCoverage(tx, run.id, coverage.files)
  return { ...totals, coverage: percent, coverageFigures: await coverageFigures(tx, run.id), warnings, timeline }
}

async function addTests(
  tx: Context,
  runner: TaskRunner,
  run: TestRunRow,
  files: readonly ReceivedFile[],
  { variant, roots, warn }: { variant: string; roots: readonly string[]; warn: (text: string) => void },
): Promise<{
  totals: Totals & { mutedTests: number; duration: number | null }
  added: Totals
  milliseconds: number | null
  unpackedBytes: number
}> {
  const identities = testIdentities()
  let milliseconds: number | null = null
  let unpacked = 0
  async function* cases() {
    for (const { path, name } of files) {
      const file = { path, name, maxUnpackedBytes: maxUnpackedBytes - unpacked }
      const batches = readReportApart(runner, { file, roots }, undefined, warn)
      let next = await batches.next()
      for (; next.done !== true; next = await batches.next()) {
        for (const { durationMs } of next.value)
          if (durationMs !== null) milliseconds = (milliseconds ?? 0) + durationMs
        yield next.value
      }
      unpacked += next.value.unpackedBytes
    }
  }
  // New results continue after the existing ones.
  const position = run.totalTests
  const added = await storeResults(tx, { id: run.id, position, variant, identify: identities.keyOf }, cases())
  await correctIdentities(tx, run.id, identities, position)
  const muted = await muteResults(tx, run, position)
  await storeTestFiles(tx, run.id)
  const totals = {
    totalTests: run.totalTests + added.totalTests,
    passedTests: run.passedTests + added.passedTests,
    failedTests: run.failedTests + added.failedTests - muted,
    mutedTests: run.mutedTests + muted,
    skippedTests: run.skippedTests + added.skippedTests,
    flakyTests: run.flakyTests + added.flakyTests,
    duration: longer(run.duration, milliseconds),
  }
  return { totals, added, milliseconds, unpackedBytes: unpacked }
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
