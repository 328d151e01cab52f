import { type Context, inTransaction, requireUser } from '../base/context.ts'
import { conflict, procedureHint } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { useSnapshot } from '../snapshots/wanted-state.ts'
import { lockOwnProject } from '../projects/get.ts'
import { TestRunEntity, type TestRunRow } from './entity.ts'
import { getOwnRun } from './get.ts'
import { hasEnded, presentRun } from './present.ts'
import { placeInQueue } from './queue.ts'
import type { RunRef, TestRun } from './schema.ts'
import { selectFailed } from './select-failed.ts'
import { createRun } from './trigger.ts'

/** Reruns the failed tests of a run on the same commit or snapshot. While such a rerun is queued or running, returns that one. */
export async function rerunFailed(ctx: Context, input: RunRef): Promise<TestRun> {
  const { userId } = requireUser(ctx)
  const { run, project } = await getOwnRun(ctx, input.runId, 'member')
  requireFailures(run)
  const selection = await selectFailed(ctx, run.id)
  const row = await inTransaction(ctx, async (tx) => {
    // The lock lets a concurrent request find the rerun that this one creates.
    await lockOwnProject(tx, project.id, 'member')
    const underWay = await findUnderWay(tx, run)
    if (underWay) return underWay
    const { branch, commitSha, snapshotId, type, name, pullRequest, withSecrets } = run
    await requireSnapshot(tx, run)
    const id = newId(tx.now())
    const state = { branch, commitSha, snapshotId }
    const again = { ...state, type, name, pullRequest, withSecrets, selection, rerunOf: run.id }
    return createRun(tx, project, { ...again, id, userId, source: 'rerun' })
  })
  return presentRun(ctx, row, await placeInQueue(ctx, row, project))
}

async function requireSnapshot(tx: Context, { projectId, snapshotId }: TestRunRow): Promise<void> {
  if (snapshotId === null || (await useSnapshot(tx, projectId, snapshotId))) return
  throw conflict(
    'The snapshot of this run was deleted. Send the working tree again, and trigger a run of it with testRuns.trigger.',
    procedureHint('testRuns.trigger'),
  )
}

/** @throws AppError 409 that says what to do instead */
function requireFailures(run: TestRunRow): void {
  if (!hasEnded(run)) {
    throw conflict(
      'The run has not ended. Wait for its end with testRuns.get and waitSeconds.',
      procedureHint('testRuns.get'),
    )
  }
  if (run.status !== 'COMPLETED') {
    throw conflict(
      'The run ended without results, so it has no failed tests. Trigger another run with testRuns.trigger.',
      procedureHint('testRuns.trigger'),
    )
  }
  if (run.failedTests === 0) throw conflict('No test failed in this run.')
}

function findUnderWay(tx: Context, { id, projectId }: TestRunRow): Promise<TestRunRow | null> {
  return tx.db.getRepository(TestRunEntity).findOne({
    where: [
      { projectId, rerunOf: id, status: 'PENDING' },
      { projectId, rerunOf: id, status: 'RUNNING' },
    ],
    order: { id: 'DESC' },
  })
}
