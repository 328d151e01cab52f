import { type Context, inTransaction } from '../context.ts'
import { TestRunEntity } from './entity.ts'
import { getOwnRun } from './get.ts'
import { presentRun } from './present.ts'
import type { RunRef, TestRun } from './schema.ts'
import { endRun } from './state.ts'

/** Ends a run that waits or runs; one that has ended stays as it is. Its processes end within seconds. */
export async function cancelRun(ctx: Context, input: RunRef): Promise<TestRun> {
  const { run } = await getOwnRun(ctx, input.runId, 'member')
  const after = await inTransaction(ctx, async (tx) => {
    const runs = tx.db.getRepository(TestRunEntity)
    // Whoever works on it counts attempts up: the latest one is cancelled, not the one that was looked at.
    const latest = await runs.findOne({ where: { id: run.id }, lock: { mode: 'pessimistic_write' } })
    if (latest) await endRun(tx, latest, { status: 'CANCELLED' })
    return runs.findOneBy({ id: run.id })
  })
  return presentRun(after ?? run)
}
