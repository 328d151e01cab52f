import { type Context, inTransaction, userIdOf } from '../base/context.ts'
import { recordAudit } from '../identity/audit/record.ts'
import { QuarantineEntity } from './entity.ts'
import { lockOwnQuarantine } from './get.ts'
import { presentQuarantine, statusOf } from './present.ts'
import type { Quarantine, ReleaseQuarantine } from './schema.ts'

/** Ends a quarantine, or rejects its request. A repeated call changes nothing. */
export async function releaseQuarantine(ctx: Context, input: ReleaseQuarantine): Promise<Quarantine> {
  return inTransaction(ctx, async (tx) => {
    const { row, project } = await lockOwnQuarantine(tx, input.quarantineId, 'member')
    const status = statusOf(tx, row)
    if (status !== 'requested' && status !== 'active') return presentQuarantine(tx, row)
    const change = {
      status: status === 'active' ? ('released' as const) : ('rejected' as const),
      endedBy: userIdOf(tx),
      endedAt: tx.now(),
      endReason: input.reason ?? null,
    }
    await tx.db.getRepository(QuarantineEntity).update({ id: row.id }, change)
    await recordAudit(tx, 'quarantine_ended', change.endedBy, {
      organizationId: project.organizationId,
      projectId: project.id,
      quarantineId: row.id,
      testId: row.testId,
      status: change.status,
    })
    return presentQuarantine(tx, { ...row, ...change })
  })
}
