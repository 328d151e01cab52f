import { IsNull } from 'typeorm'
import { type Context, inTransaction, userIdOf } from '../base/context.ts'
import { conflict, procedureHint } from '../base/errors.ts'
import { recordAudit } from '../identity/audit/record.ts'
import { requireRole } from '../identity/organizations/roles.ts'
import { loadTestPolicy } from '../test-policy/load.ts'
import { QuarantineEntity, type QuarantineRow } from './entity.ts'
import { endExpired } from './expire.ts'
import { lockOwnQuarantine } from './get.ts'
import { presentQuarantine, statusOf } from './present.ts'
import type { GrantQuarantine, Quarantine } from './schema.ts'

const dayMs = 86_400_000

/** Grants a request, or extends a quarantine that is active. Requires the role that the project's policy names. */
export async function grantQuarantine(ctx: Context, input: GrantQuarantine): Promise<Quarantine> {
  return inTransaction(ctx, async (tx) => {
    const { row, project } = await lockOwnQuarantine(tx, input.quarantineId, 'member')
    const { quarantine } = await loadTestPolicy(tx, project.id)
    requireRole(project.role, quarantine.grantedBy)
    const status = statusOf(tx, row)
    if (status !== 'requested' && status !== 'active') {
      throw conflict(
        `This quarantine is ${status}. Request a new one with quarantine.request.`,
        procedureHint('quarantine.request'),
      )
    }
    const isExtension = status === 'active'
    await endExpired(tx, project.id, [row.testId])
    if (!isExtension) await replaceActive(tx, row)
    if (isExtension && input.days === undefined) return presentQuarantine(tx, row)
    const days = input.days ?? row.days
    const at = tx.now()
    const change = {
      status: 'active' as const,
      days,
      decidedBy: userIdOf(tx),
      decidedAt: at,
      expiresAt: new Date(at.getTime() + days * dayMs),
      announcedExpiry: false,
    }
    await tx.db.getRepository(QuarantineEntity).update({ id: row.id }, change)
    await recordAudit(tx, 'quarantine_granted', change.decidedBy, {
      organizationId: project.organizationId,
      projectId: project.id,
      quarantineId: row.id,
      testId: row.testId,
      days,
    })
    return presentQuarantine(tx, { ...row, ...change })
  })
}

/** Ends what is active for the same variant, such as another mode, and for all variants also what Assay muted by itself. */
async function replaceActive(tx: Context, { id, projectId, testId, variant }: QuarantineRow): Promise<void> {
  const active = { projectId, testId, status: 'active' as const }
  const end = {
    status: 'released' as const,
    endedBy: userIdOf(tx),
    endedAt: tx.now(),
    endReason: `Replaced by quarantine ${id}.`,
  }
  const quarantines = tx.db.getRepository(QuarantineEntity)
  await quarantines.update({ ...active, variant: variant ?? IsNull() }, end)
  if (variant === null) await quarantines.update({ ...active, automatic: true, decidedBy: IsNull() }, end)
}
