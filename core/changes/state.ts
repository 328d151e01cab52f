import { type Context, inTransaction } from '../base/context.ts'
import { emit } from '../events/emit.ts'
import { ProjectEntity, type ProjectRow } from '../projects/entity.ts'
import { ChangeEntity, type ChangeRow } from './entity.ts'
import { hasEnded } from './present.ts'

export type ChangeEnd = Pick<ChangeRow, 'status'> &
  Partial<Pick<ChangeRow, 'verdict' | 'isProvisional' | 'evidence' | 'error' | 'sameAs' | 'contentKey'>>

/**
 * Starts an attempt of the verification of a change.
 *
 * @returns undefined if it has ended or its project was deleted
 */
export function beginChange(
  ctx: Context,
  id: string,
): Promise<{ change: ChangeRow; project: Omit<ProjectRow, 'settings'> } | undefined> {
  return inTransaction(ctx, async (tx) => {
    const changes = tx.db.getRepository(ChangeEntity)
    const row = await changes.findOne({ where: { id }, lock: { mode: 'pessimistic_write' } })
    const project = row && (await tx.db.getRepository(ProjectEntity).findOneBy({ id: row.projectId }))
    if (!project || hasEnded(row)) return undefined
    const begun = { status: 'running' as const, attempt: row.attempt + 1, startedAt: row.startedAt ?? tx.now() }
    await changes.update({ id }, begun)
    return { change: { ...row, ...begun }, project }
  })
}

/**
 * Ends the verification of a change in the caller's transaction, and announces its verdict. Without one, the provisional
 * verdict stays.
 *
 * @returns false if it has already ended, or another worker has started a newer attempt
 */
export async function endChange(
  tx: Context,
  { id, attempt }: Pick<ChangeRow, 'id' | 'attempt'>,
  end: ChangeEnd,
): Promise<boolean> {
  const changes = tx.db.getRepository(ChangeEntity)
  const row = await changes.findOne({ where: { id, attempt }, lock: { mode: 'pessimistic_write' } })
  if (!row || hasEnded(row)) return false
  const ended = { ...end, completedAt: tx.now(), progress: null }
  await changes.update({ id }, ended)
  await announce(tx, { ...row, ...ended })
  return true
}

async function announce(tx: Context, change: ChangeRow): Promise<void> {
  const { verdict, evidence, completedAt } = change
  if (change.status !== 'completed' || verdict === null || completedAt === null) return
  const project = await tx.db.getRepository(ProjectEntity).findOneBy({ id: change.projectId })
  if (!project) return
  await emit(tx, {
    type: 'change.verified',
    project,
    data: {
      id: change.id,
      projectId: project.id,
      base: change.base,
      baseSha: change.baseSha,
      head: change.head,
      headSha: change.headSha,
      snapshotId: change.snapshotId,
      verdict,
      reason: evidence?.reason ?? '',
      summary: evidence?.summary ?? '',
      createdAt: change.createdAt.toISOString(),
      completedAt: completedAt.toISOString(),
    },
  })
}
