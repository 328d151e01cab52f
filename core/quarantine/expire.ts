import { type Context, inTransaction } from '../base/context.ts'
import { emit } from '../events/emit.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { QuarantineEntity, type QuarantineRow } from './entity.ts'

/** Subscribers learn so long before its end that a quarantine expires. */
const noticeMs = 3 * 86_400_000
const batch = 100

/** Ends quarantines whose time is up, and announces those that end soon. */
export async function expireQuarantines(ctx: Context): Promise<void> {
  const at = ctx.now()
  for (;;) {
    const due = await ctx.db.query<{ id: string }[]>(
      `SELECT id FROM quarantines
        WHERE status = 'active' AND (expires_at <= $1 OR (expires_at <= $2 AND NOT announced_expiry))
        ORDER BY expires_at LIMIT ${batch}`,
      [at, new Date(at.getTime() + noticeMs)],
    )
    for (const { id } of due) await inTransaction(ctx, (tx) => expire(tx, id))
    if (due.length < batch) return
  }
}

/** Ends the quarantines of tests whose time is up, in the caller's transaction, before others take their place. */
export async function endExpired(tx: Context, projectId: string, testIds: readonly string[]): Promise<void> {
  const due = await tx.db.query<{ id: string }[]>(
    `SELECT id FROM quarantines
      WHERE project_id = $1 AND test_id = ANY($2::uuid[]) AND status = 'active' AND expires_at <= $3 ORDER BY id`,
    [projectId, testIds, tx.now()],
  )
  for (const { id } of due) await expire(tx, id)
}

async function expire(tx: Context, id: string): Promise<void> {
  const quarantines = tx.db.getRepository(QuarantineEntity)
  const known = await quarantines.findOneBy({ id })
  if (!known) return
  await tx.db.query('SELECT FROM projects WHERE id = $1 FOR KEY SHARE', [known.projectId])
  const project = await tx.db.getRepository(ProjectEntity).findOneBy({ id: known.projectId })
  const row = await quarantines.findOne({ where: { id }, lock: { mode: 'pessimistic_write' } })
  if (!project || row?.status !== 'active' || row.expiresAt === null) return
  const hasExpired = row.expiresAt <= tx.now()
  const change: Partial<QuarantineRow> = hasExpired
    ? { status: 'expired', endedAt: row.expiresAt }
    : { announcedExpiry: true }
  await quarantines.update({ id }, change)
  await emit(tx, {
    type: 'quarantine.expiring',
    project,
    data: {
      id,
      projectId: project.id,
      testId: row.testId,
      variant: row.variant,
      suite: row.suite,
      name: row.name,
      file: row.file,
      status: hasExpired ? 'expired' : 'active',
      mode: row.mode,
      owner: row.owner,
      reason: row.reason,
      issueUrl: row.issueUrl,
      expiresAt: row.expiresAt.toISOString(),
      createdAt: tx.now().toISOString(),
    },
  })
}
