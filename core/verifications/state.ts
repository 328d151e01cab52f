import { type Context, inTransaction } from '../base/context.ts'
import { GeneratedTestEntity } from '../generated-tests/entity.ts'
import { ProjectEntity, type ProjectRow } from '../projects/entity.ts'
import { SuggestionEntity } from '../suggestions/entity.ts'
import { VerificationEntity, type VerificationRow } from './entity.ts'
import { hasEnded } from './present.ts'

export type VerificationEnd = Pick<VerificationRow, 'status'> &
  Partial<Pick<VerificationRow, 'verdict' | 'evidence' | 'error' | 'sameAs' | 'contentKey'>>

/**
 * Starts an attempt of a verification.
 *
 * @returns undefined if the verification has ended or its project was deleted
 */
export function beginVerification(
  ctx: Context,
  id: string,
): Promise<{ verification: VerificationRow; project: Omit<ProjectRow, 'settings'> } | undefined> {
  return inTransaction(ctx, async (tx) => {
    const verifications = tx.db.getRepository(VerificationEntity)
    const row = await verifications.findOne({ where: { id }, lock: { mode: 'pessimistic_write' } })
    const project = row && (await tx.db.getRepository(ProjectEntity).findOneBy({ id: row.projectId }))
    if (!project || hasEnded(row)) return undefined
    const change = { status: 'running' as const, attempt: row.attempt + 1, startedAt: row.startedAt ?? tx.now() }
    await verifications.update({ id }, change)
    return { verification: { ...row, ...change }, project }
  })
}

/**
 * Ends a verification in the caller's transaction, and stores its verdict with the generated test and the suggestion.
 *
 * @returns false if the verification has already ended, or another worker has started a newer attempt
 */
export async function endVerification(
  tx: Context,
  { id, attempt }: Pick<VerificationRow, 'id' | 'attempt'>,
  end: VerificationEnd,
): Promise<boolean> {
  const verifications = tx.db.getRepository(VerificationEntity)
  const row = await verifications.findOne({ where: { id, attempt }, lock: { mode: 'pessimistic_write' } })
  if (!row || hasEnded(row)) return false
  await verifications.update({ id }, { ...end, completedAt: tx.now(), progress: null })
  if (end.verdict) await storeVerdict(tx, row, end.verdict)
  return true
}

async function storeVerdict(
  tx: Context,
  { id, projectId, generatedTestId, suggestionId }: VerificationRow,
  verdict: NonNullable<VerificationRow['verdict']>,
): Promise<void> {
  if (generatedTestId !== null) {
    const generatedTests = tx.db.getRepository(GeneratedTestEntity)
    await generatedTests.update({ id: generatedTestId, projectId }, { verdict, verificationId: id })
  }
  if (suggestionId === null || verdict !== 'accepted') return
  const change = { status: 'accepted' as const, verificationId: id, updatedAt: tx.now() }
  await tx.db.getRepository(SuggestionEntity).update({ id: suggestionId, projectId }, change)
}
