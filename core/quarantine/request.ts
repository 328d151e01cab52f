import { type Context, inTransaction, userIdOf } from '../base/context.ts'
import { conflict, procedureHint } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { recordAudit } from '../identity/audit/record.ts'
import { lockOwnProject } from '../projects/get.ts'
import { loadTestPolicy } from '../test-policy/load.ts'
import { QuarantineEntity, type QuarantineRow } from './entity.ts'
import { findTest } from './find-test.ts'
import { presentQuarantine } from './present.ts'
import type { Quarantine, RequestQuarantine } from './schema.ts'

/**
 * Requests that a test is muted or skipped. Nothing changes until `quarantine.grant`, which replaces what is active. A
 * repeated request returns the one that waits.
 */
export async function requestQuarantine(ctx: Context, input: RequestQuarantine): Promise<Quarantine> {
  return inTransaction(ctx, async (tx) => {
    const project = await lockOwnProject(tx, input.projectId, 'member')
    const test = await findTest(tx, project.id, input.testId, input.variant)
    const variant = input.variant ?? null
    const open = await openQuarantines(tx, project.id, test.testId)
    const waiting = open.find((each) => each.status === 'requested' && each.variant === variant)
    if (waiting) return presentQuarantine(tx, waiting)
    const granted = open.filter((each) => isGranted(tx, each) && (each.variant === null || each.variant === variant))
    const same = granted.find((each) => each.mode === input.mode && each.variant === variant)
    // Of one for all variants and one for this variant, the one that skips takes effect.
    const active = same ?? granted.find(({ mode }) => mode === 'skipped') ?? granted[0]
    if (active?.mode === input.mode) {
      throw conflict(
        `The test is already ${active.mode} until ${active.expiresAt?.toISOString()}, by quarantine ${active.id}. quarantine.grant extends it, quarantine.release ends it. Request the other mode to replace it.`,
        procedureHint('quarantine.grant', 'quarantine.release'),
      )
    }
    const { quarantine } = await loadTestPolicy(tx, project.id)
    const row: QuarantineRow = {
      ...newQuarantine(tx, project.id, test),
      variant,
      mode: input.mode,
      reason: input.reason,
      owner: input.owner ?? null,
      issueUrl: input.issueUrl ?? null,
      days: input.days ?? quarantine.days,
      requestedBy: userIdOf(tx),
    }
    await tx.db.getRepository(QuarantineEntity).insert(row)
    await recordAudit(tx, 'quarantine_requested', row.requestedBy, {
      organizationId: project.organizationId,
      projectId: project.id,
      quarantineId: row.id,
      testId: row.testId,
    })
    return presentQuarantine(tx, row)
  })
}

/** Whether a person granted it, and its time is not up. */
const isGranted = ({ now }: Pick<Context, 'now'>, { status, decidedBy, expiresAt }: QuarantineRow) =>
  status === 'active' && decidedBy !== null && expiresAt !== null && expiresAt > now()

/** The quarantines of a test that wait or are active. */
export function openQuarantines(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  testId: string,
): Promise<QuarantineRow[]> {
  return db.getRepository(QuarantineEntity).find({
    where: [
      { projectId, testId, status: 'requested' },
      { projectId, testId, status: 'active' },
    ],
    order: { id: 'ASC' },
  })
}

/** Returns the record of a new request with defaults. */
export function newQuarantine(
  { now }: Pick<Context, 'now'>,
  projectId: string,
  test: Pick<QuarantineRow, 'testId' | 'suite' | 'name' | 'file'>,
): Omit<QuarantineRow, 'variant' | 'mode' | 'reason' | 'days'> {
  return {
    id: newId(now()),
    projectId,
    ...test,
    status: 'requested',
    owner: null,
    issueUrl: null,
    automatic: false,
    requestedBy: null,
    requestedAt: now(),
    decidedBy: null,
    decidedAt: null,
    expiresAt: null,
    endedBy: null,
    endedAt: null,
    endReason: null,
    announcedExpiry: false,
  }
}
