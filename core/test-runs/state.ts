import { counted } from '../../engines/verdicts/worth.ts'
import { runUrl } from '../base/page-urls.ts'
import { requestRanking } from '../analysis/rank-anew.ts'
import { postCommitStatus } from '../code-host-posts/post.ts'
import { type Context, inTransaction } from '../base/context.ts'
import { ProjectEntity, type ProjectRow } from '../projects/entity.ts'
import { emit } from '../events/emit.ts'
import { requestShadow } from '../selection/request-shadow.ts'
import { TestRunEntity, type TestRunRow } from './entity.ts'
import { requestGates } from './request-gate.ts'
import { requestHealth } from './request-health.ts'
import { readLogExcerpt } from './log/excerpt.ts'
import { hasEnded, presentCompleted, presentFailed, presentStarted } from './present.ts'

export type RunEnd = Pick<TestRunRow, 'status'> & Partial<TestRunRow>

type Change = Partial<Omit<TestRunRow, 'id' | 'projectId'>>
type Project = Omit<ProjectRow, 'settings'>

/** The status of a run with an upload: `FAILED` if its reports contain no tests. */
export interface UploadVerdict {
  status: 'COMPLETED' | 'FAILED'
  error: TestRunRow['error']
}

/**
 * Starts an attempt of a run.
 *
 * @returns undefined if the run has ended or its project was deleted
 */
export function beginRun(ctx: Context, runId: string): Promise<{ run: TestRunRow; project: Project } | undefined> {
  return inTransaction(ctx, async (tx) => {
    const run = await lockRun(tx, { id: runId })
    const project = run && (await tx.db.getRepository(ProjectEntity).findOneBy({ id: run.projectId }))
    if (!project || hasEnded(run)) return undefined
    const first = run.status === 'PENDING'
    const change = { status: 'RUNNING' as const, attempt: run.attempt + 1, startedAt: run.startedAt ?? tx.now() }
    const begun = await write(tx, run, change)
    if (first) await requestGates(tx, begun)
    if (first) await announce(tx, project, begun)
    return { run: begun, project }
  })
}

/**
 * Ends a run, in the caller's transaction.
 *
 * @returns false if the run has already ended, or another worker has started a newer attempt
 */
export async function endRun(
  tx: Context,
  { id, attempt }: Pick<TestRunRow, 'id' | 'attempt'>,
  end: RunEnd,
): Promise<boolean> {
  const run = await lockRun(tx, { id, attempt })
  if (!run || hasEnded(run)) return false
  const completedAt = tx.now()
  const duration = run.startedAt ? completedAt.getTime() - run.startedAt.getTime() : null
  const ended = await write(tx, run, { duration, ...end, completedAt, progress: null })
  await requestHealth(tx, ended)
  await requestGates(tx, ended)
  await requestShadow(tx, ended)
  const project = await tx.db.getRepository(ProjectEntity).findOneBy({ id: run.projectId })
  if (project) await announce(tx, project, ended)
  return true
}

/** Stores the results of an upload in the caller's transaction. Called again for each further part of the run. */
export async function completeUpload(
  tx: Context,
  project: Project,
  run: TestRunRow,
  change: Change & UploadVerdict,
): Promise<TestRunRow> {
  const completed = await write(tx, run, { ...change, completedAt: tx.now() })
  await requestHealth(tx, completed)
  await requestGates(tx, completed)
  await requestShadow(tx, completed)
  await announce(tx, project, completed)
  return completed
}

/** Loads a run and locks its row until the transaction ends. Returns null if the run was deleted. */
export async function lockRun(
  tx: Pick<Context, 'db'>,
  run: Pick<TestRunRow, 'id'> & Partial<Pick<TestRunRow, 'attempt'>>,
): Promise<TestRunRow | null> {
  // All transactions lock the project first. The commit status refers to it.
  const project = 'SELECT FROM projects WHERE id = (SELECT project_id FROM test_runs WHERE id = $1) FOR KEY SHARE'
  await tx.db.query(project, [run.id])
  return tx.db.getRepository(TestRunEntity).findOne({ where: run, lock: { mode: 'pessimistic_write' } })
}

async function write(tx: Context, run: TestRunRow, change: Change): Promise<TestRunRow> {
  await tx.db.getRepository(TestRunEntity).update({ id: run.id }, change)
  if (typeof change.coverage === 'number') await requestRanking(tx, run.projectId, run.snapshotId)
  return { ...run, ...change }
}

async function announce(tx: Context, project: Project, run: TestRunRow): Promise<void> {
  if (run.status === 'RUNNING') {
    await emit(tx, { type: 'test_run.started', project, data: presentStarted(run) })
  } else if (run.status === 'COMPLETED') {
    await emit(tx, { type: 'test_run.completed', project, data: presentCompleted(run) })
  } else {
    const data = presentFailed(run, await readLogExcerpt(tx.db, run.id))
    await emit(tx, { type: 'test_run.failed', project, data })
  }
  await reportCommitStatus(tx, run)
}

/** Reports the status of a run to the code host. The CI service of an upload reports its own status. */
export async function reportCommitStatus(tx: Context, run: TestRunRow): Promise<void> {
  // The code host does not know the commit of a snapshot.
  if (run.commitSha === null || run.source === 'upload' || run.snapshotId !== null) return
  await postCommitStatus(tx, {
    projectId: run.projectId,
    commitSha: run.commitSha,
    context: `assay/${run.type.toLowerCase()}`,
    targetUrl: runUrl(tx, run),
    ...describe(run),
  })
}

function describe(run: TestRunRow): { state: 'pending' | 'success' | 'failure' | 'error'; description: string } {
  const { status, passedTests, failedTests, mutedTests, totalTests } = run
  if (status === 'RUNNING') return { state: 'pending', description: 'The tests are running.' }
  if (status === 'CANCELLED') return { state: 'error', description: 'The run was cancelled.' }
  if (status === 'FAILED') return { state: 'error', description: run.error?.message ?? 'The run has no result.' }
  if (failedTests > 0)
    return { state: 'failure', description: `${failedTests} of ${counted(totalTests, 'test')} failed.` }
  const warning = run.warnings.find(({ code }) => code === 'low_coverage')
  if (warning !== undefined) return { state: 'failure', description: warning.text }
  if (totalTests === 0 && run.impacted?.found?.mode === 'impacted') {
    return { state: 'success', description: 'No test can notice the change.' }
  }
  return {
    state: 'success',
    description: `${counted(passedTests, 'test')} passed${mutedTests === 0 ? '' : `, ${mutedTests} failed but muted`}${run.coverage === null ? '' : `, ${run.coverage} % covered`}.`,
  }
}
