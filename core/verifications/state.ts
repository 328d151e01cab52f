import type { Context } from '../base/context.ts'
import { GeneratedTestEntity } from '../generated-tests/entity.ts'
import { SuggestionEntity } from '../suggestions/entity.ts'
import { endRecord, type JudgedEnd } from '../verdicts/state.ts'
import { VerificationEntity, type VerificationRow } from './entity.ts'

export type VerificationEnd = JudgedEnd<VerificationRow>

/** Ends a verification, and stores its verdict with the generated test and the suggestion: see `endRecord`. */
export async function endVerification(
  tx: Context,
  verification: { id: string; attempt?: number },
  end: VerificationEnd,
): Promise<VerificationRow | undefined> {
  const ended = await endRecord(tx, VerificationEntity, verification, end)
  if (ended?.verdict) await storeVerdict(tx, ended, ended.verdict)
  return ended
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
