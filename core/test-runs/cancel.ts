import { In } from 'typeorm'
import { type Context, inTransaction } from '../base/context.ts'
import { TestRunEntity } from './entity.ts'
import { getOwnRun } from './get.ts'
import { presentRun } from './present.ts'
import type { RunRef, TestRun } from './schema.ts'
import { endRun, lockRun } from './state.ts'

/** Cancels a queued or running run. Its processes end within seconds. A run that has ended does not change. */
export async function cancelRun(ctx: Context, input: RunRef): Promise<TestRun> {
  const { run } = await getOwnRun(ctx, input.runId, 'member')
  const after = await inTransaction(ctx, async (tx) => {
    await cancel(tx, run.id)
    return tx.db.getRepository(TestRunEntity).findOneBy({ id: run.id })
  })
  return presentRun(ctx, after ?? run)
}

/** Cancels the runs of these projects in the transaction that deletes them, so that waiting callers get an answer. */
export async function cancelRunsOf(tx: Context, projectIds: readonly string[]): Promise<void> {
  const runs = await tx.db.getRepository(TestRunEntity).find({
    where: { projectId: In(projectIds), status: In(['PENDING', 'RUNNING']) },
    select: { id: true },
    order: { id: 'ASC' },
  })
  for (const { id } of runs) await cancel(tx, id)
}

async function cancel(tx: Context, runId: string): Promise<void> {
  // A worker may have started a newer attempt since the caller loaded the run.
  const latest = await lockRun(tx, { id: runId })
  if (latest) await endRun(tx, latest, { status: 'CANCELLED' })
}
