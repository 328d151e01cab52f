import { type Context, inTransaction, requireUser, tokenIdOf } from '../base/context.ts'
import { conflict, procedureHint } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { lockOwnProject } from '../projects/get.ts'
import { ownerOf } from '../projects/owner.ts'
import { findTest } from '../quarantine/find-test.ts'
import { wantedState } from '../snapshots/wanted-state.ts'
import { pending } from '../verdicts/record.ts'
import { ConfirmationEntity, type ConfirmationRow } from './entity.ts'
import { presentConfirmation } from './present.ts'
import type { Confirmation, ConfirmFix } from './schema.ts'

export const confirmationQueue = 'confirmations'

const maxWaitingOfProject = 20

/** Starts repeating a test to show that it is no longer flaky, and returns the record. */
export async function confirmFix(ctx: Context, input: ConfirmFix): Promise<Confirmation> {
  return inTransaction(ctx, async (tx) => {
    const project = await lockOwnProject(tx, input.projectId, 'member')
    const test = await findTest(tx, project.id, input.testId, input.variant)
    await requireRoom(tx, project.id)
    const row: ConfirmationRow = {
      ...pending,
      ...(await wantedState(tx, project, input)),
      ...test,
      id: newId(tx.now()),
      projectId: project.id,
      userId: requireUser(tx).userId,
      tokenId: tokenIdOf(tx),
      repeats: input.repeats,
      again: true,
      mergedAt: null,
      mergedRun: null,
      createdAt: tx.now(),
    }
    await tx.db.getRepository(ConfirmationEntity).insert(row)
    await tx.jobs.enqueue(tx.db, confirmationQueue, { confirmationId: row.id }, { group: ownerOf(project) })
    return presentConfirmation(tx, row)
  })
}

/** Rejects confirmations beyond the limit of a project, because all projects share the queue. The row is locked. */
async function requireRoom(tx: Context, projectId: string): Promise<void> {
  const [{ waiting }] = await tx.db.query<[{ waiting: number }]>(
    `SELECT count(*)::int AS waiting FROM test_confirmations WHERE project_id = $1 AND status = 'pending'`,
    [projectId],
  )
  if (waiting < maxWaitingOfProject) return
  throw conflict(
    `This project has ${waiting} queued confirmations, which is the maximum. Cancel some with tests.cancelConfirmation, or try again later.`,
    procedureHint('tests.cancelConfirmation'),
  )
}
