import type { Context } from '../base/context.ts'
import { emit } from '../events/emit.ts'
import { GeneratedTestEntity } from '../generated-tests/entity.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { SuggestionEntity } from '../suggestions/entity.ts'
import { endRecord, type JudgedEnd } from '../verdicts/state.ts'
import { VerificationEntity, type VerificationRow } from './entity.ts'

export type VerificationEnd = JudgedEnd<VerificationRow>

/**
 * Ends a verification, announces its verdict, and stores it with the generated test and the suggestion: see `endRecord`.
 */
export async function endVerification(
  tx: Context,
  verification: { id: string; attempt?: number },
  end: VerificationEnd,
): Promise<VerificationRow | undefined> {
  const ended = await endRecord(tx, VerificationEntity, verification, end)
  if (ended?.verdict) {
    await storeVerdict(tx, ended, ended.verdict)
    await announce(tx, ended, ended.verdict)
  }
  return ended
}

async function announce(
  tx: Context,
  verification: VerificationRow,
  verdict: NonNullable<VerificationRow['verdict']>,
): Promise<void> {
  const { evidence, completedAt } = verification
  const project = await tx.db.getRepository(ProjectEntity).findOneBy({ id: verification.projectId })
  if (!project || completedAt === null) return
  await emit(tx, {
    type: 'test.verified',
    project,
    data: {
      id: verification.id,
      projectId: project.id,
      filePath: verification.filePath,
      branch: verification.branch,
      commitSha: verification.commitSha,
      snapshotId: verification.snapshotId,
      generatedTestId: verification.generatedTestId,
      suggestionId: verification.suggestionId,
      verdict,
      reason: evidence?.reason ?? '',
      summary: evidence?.summary ?? '',
      createdAt: verification.createdAt.toISOString(),
      completedAt: completedAt.toISOString(),
    },
  })
}

async function storeVerdict(
  tx: Context,
  { id, projectId, userId, tokenId, generatedTestId, suggestionId }: VerificationRow,
  verdict: NonNullable<VerificationRow['verdict']>,
): Promise<void> {
  if (generatedTestId !== null) {
    const generatedTests = tx.db.getRepository(GeneratedTestEntity)
    await generatedTests.update({ id: generatedTestId, projectId }, { verdict, verificationId: id })
  }
  if (suggestionId === null || verdict !== 'accepted') return
  const now = tx.now()
  const resolved = { resolvedAt: now, resolvedBy: userId, resolvedByToken: tokenId }
  const change = { status: 'accepted' as const, verificationId: id, updatedAt: now, ...resolved }
  await tx.db.getRepository(SuggestionEntity).update({ id: suggestionId, projectId }, change)
}
