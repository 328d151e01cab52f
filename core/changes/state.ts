import type { Context } from '../base/context.ts'
import { emit } from '../events/emit.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { requestGates } from '../test-runs/request-gate.ts'
import { endRecord, type JudgedEnd } from '../verdicts/state.ts'
import { ChangeEntity, type ChangeRow } from './entity.ts'

export type ChangeEnd = JudgedEnd<ChangeRow>

/** Ends the verification of a change, and announces its verdict: see `endRecord`. */
export async function endChange(
  tx: Context,
  change: { id: string; attempt?: number },
  end: ChangeEnd,
): Promise<ChangeRow | undefined> {
  const ended = await endRecord(tx, ChangeEntity, change, end)
  if (ended) {
    await announce(tx, ended)
    await requestGates(tx, { ...ended, commitSha: ended.headSha })
  }
  return ended
}

async function announce(tx: Context, change: ChangeRow): Promise<void> {
  const { verdict, evidence, completedAt } = change
  if (verdict === null || completedAt === null) return
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
