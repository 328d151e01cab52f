import { runUrl, type Site } from '../base/page-urls.ts'
import { join } from 'node:path'
import type { Context } from '../base/context.ts'
import type { ProjectRow } from '../projects/entity.ts'
import { SnapshotEntity } from '../snapshots/entity.ts'
import type { TestRunRow } from './entity.ts'
import { comparedRun, type EarlierRun, findEarlierRuns, knownCommit } from './failures/earlier-runs.ts'
import { engineRunner } from '../base/engines.ts'
import { ownerOf } from '../projects/owner.ts'
import { TaskFailure, type TaskRunner } from '../../engines/processes/tasks.ts'
import { describeFailures, type FailureDescription } from '../../engines/reports/describe-failures.ts'
import { type FailedTest, findFailedTests } from './failures/failed-tests.ts'
import { fitGroups } from './failures/fit.ts'
import { findHistories } from './failures/history.ts'
import { findFixed, findLeftOut, findMuted, findPassedAfterRetry } from './failures/named-tests.ts'
import { presentGroups } from './failures/present-groups.ts'
import { rerunCommand } from './failures/rerun-command.ts'
import { short } from './failures/short.ts'
import { getOwnRun } from './get.ts'
import { countLines, readLines } from './log/log.ts'
import { isOfReport } from '../../engines/reports/tap.ts'
import { plainText } from '../../engines/reports/text.ts'
import { reportedStatus } from './present.ts'
import { runDirectory } from '../workspaces/directories.ts'
import { mountPoints } from '../workspaces/run-step.ts'
import type { FailureDigest, GetFailures } from './failures/schema.ts'
import { selectFailed } from './select-failed.ts'
import { checkoutFolders } from './uploads/checkout-folders.ts'

/** More than the answer shows, because flaky groups move to the end only after their tests were examined. */
const examined = { maxGroups: 30, maxTests: 5 }
const maxWarnings = 5
const maxWarningLength = 200
const logLines = 20
const maxLogLineLength = 150

/** Returns the failures of a run: which are new, since when the others fail, which are flaky, and how to rerun them. */
export async function getFailures(ctx: Context, input: GetFailures): Promise<FailureDigest> {
  const { run, project } = await getOwnRun(ctx, input.runId, 'viewer')
  const earlier = await findEarlierRuns(ctx, run, project)
  const before = comparedRun(run, earlier)
  const [snapshot, error, found, selected, fixed, passedAfterRetry, muted, leftOutByQuarantine] = await Promise.all([
    presentSnapshotOf(ctx, run),
    presentError(ctx, run),
    findFailedTests(ctx, { runId: run.id, before: before?.id, ...examined }),
    selectFailed(ctx, run.id),
    findFixed(ctx, run.id, before?.id),
    findPassedAfterRetry(ctx, run),
    findMuted(ctx, run),
    findLeftOut(ctx, run),
  ])
  const { tests, failures, newFailures } = found
  const runner = engineRunner(ctx, 'interactive', ownerOf(project))
  const [historyOf, descriptions] = await Promise.all([
    findHistories(ctx, run, earlier, [...new Set(tests.map(({ testId }) => testId))]),
    describe(ctx, runner, tests, frameRoots(ctx, run, project)),
  ])
  const groups = presentGroups(tests, (test) => descriptions.get(test), historyOf)
  const command = failures > 0 && run.recipe ? rerunCommand(run, selected) : null
  // The failures of a report itself, such as a wrong plan, name no test that could run again.
  const canRerun = failures > 0 && !(selected?.paths.length === 0 && selected.tests.every(isOfReport))
  const rest = {
    ...presentRunOf(ctx, run),
    snapshot,
    coverageFigures: run.coverageFigures,
    error,
    comparedWith: before ? presentCompared(before, run) : null,
    newFailures,
    stillFailing: failures - newFailures,
    fixed,
    passedAfterRetry,
    muted,
    leftOutByQuarantine,
    rerun: canRerun ? { command, procedure: 'testRuns.rerunFailed' as const, input: { runId: run.id } } : null,
  }
  const shown = fitGroups(groups, input.maxCharacters - JSON.stringify(rest).length)
  const examples = shown.reduce((sum, group) => sum + group.examples.length, 0)
  const leftOut = { groups: found.groups - shown.length, tests: failures - examples }
  return { ...rest, groups: shown, leftOut }
}

/** Texts that cannot be described are shown without their position. */
async function describe(
  ctx: Context,
  runner: TaskRunner,
  tests: readonly FailedTest[],
  roots: readonly string[],
): Promise<Map<FailedTest, FailureDescription>> {
  if (tests.length === 0) return new Map()
  try {
    const texts = tests.map(({ message, stack, file, suite }) => ({ message, stack, file, suite }))
    const described = await describeFailures(runner, texts, roots)
    return new Map(tests.flatMap((test, index) => (described[index] ? [[test, described[index]]] : [])))
  } catch (error) {
    if (!(error instanceof TaskFailure) || error.reason === 'lost') throw error
    ctx.log.warn({ err: error }, 'could not describe failures')
    return new Map()
  }
}

function presentRunOf(site: Site, run: TestRunRow) {
  const { id: runId, branch, commitSha, totalTests, passedTests, failedTests, mutedTests, skippedTests } = run
  const { coverage, duration } = run
  const counts = { totalTests, passedTests, failedTests, mutedTests, skippedTests }
  const warnings = run.warnings.slice(0, maxWarnings).map(({ text }) => short(text, maxWarningLength))
  return {
    runId,
    url: runUrl(site, run),
    status: reportedStatus(run),
    branch,
    commitSha,
    ...counts,
    coverage,
    duration,
    warnings,
  }
}

/** The coverage of some tests cannot be compared with that of all tests, or of other tests. */
function presentCompared(before: EarlierRun, { selection }: Pick<TestRunRow, 'selection'>) {
  const { id: runId, branch, createdAt, failedTests, whole } = before
  const coverage = whole && selection === null ? before.coverage : null
  return { runId, branch, commitSha: knownCommit(before), createdAt: createdAt.toISOString(), failedTests, coverage }
}

async function presentSnapshotOf(
  { db }: Context,
  { projectId, snapshotId: id }: TestRunRow,
): Promise<FailureDigest['snapshot']> {
  if (id === null) return null
  const snapshot = await db.getRepository(SnapshotEntity).findOneBy({ id, projectId })
  const headSha = snapshot?.headSha ?? snapshot?.baseSha ?? null
  return { id, headSha, createdAt: snapshot?.createdAt.toISOString() ?? null }
}

/** Includes the end of the log, which usually says more than the error. */
async function presentError(ctx: Context, { id, error }: TestRunRow): Promise<FailureDigest['error']> {
  if (!error) return null
  const total = await countLines(ctx.db, id)
  const lines = await readLines(ctx.db, id, Math.max(0, total - logLines), logLines)
  return {
    code: error.code,
    message: short(error.message, 1_000),
    log: lines.map((line) => short(plainText(line), maxLogLineLength)),
  }
}

/** Returns the folders where the repository may have been while its tests ran. */
function frameRoots({ config }: Context, run: TestRunRow, { repository }: Pick<ProjectRow, 'repository'>): string[] {
  if (run.source === 'upload') return checkoutFolders(repository, undefined)
  return [mountPoints.root, join(runDirectory(config, `${run.id}.${run.attempt}`), 'work')]
}
