import { Not, IsNull } from 'typeorm'
import type { Context } from '../../base/context.ts'
import { VerificationEntity, type VerificationRow } from '../entity.ts'

/** Finds an earlier verdict on the same test and the same content. */
export async function findKnownResult(
  ctx: Context,
  { id, projectId }: Pick<VerificationRow, 'id' | 'projectId'>,
  contentKey: string,
): Promise<Pick<VerificationRow, 'verdict' | 'evidence' | 'sameAs'> | null> {
  const known = await ctx.db.getRepository(VerificationEntity).findOne({
    where: { projectId, contentKey, status: 'completed', verdict: Not(IsNull()), id: Not(id) },
    order: { id: 'DESC' },
  })
  // `sameAs` names the verification that measured the result, not one that copied it.
  return known && { verdict: known.verdict, evidence: known.evidence, sameAs: known.sameAs ?? known.id }
}
