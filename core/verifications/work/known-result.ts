import { Not, IsNull } from 'typeorm'
import type { Context } from '../../base/context.ts'
import { VerificationEntity, type VerificationRow } from '../entity.ts'

/** The verdict that the same test has got on the same content; null where there is none. */
export async function findKnownResult(
  ctx: Context,
  { id, projectId }: Pick<VerificationRow, 'id' | 'projectId'>,
  contentKey: string,
): Promise<Pick<VerificationRow, 'verdict' | 'evidence' | 'sameAs'> | null> {
  const known = await ctx.db.getRepository(VerificationEntity).findOne({
    where: { projectId, contentKey, status: 'completed', verdict: Not(IsNull()), id: Not(id) },
    order: { id: 'DESC' },
  })
  // What was measured, not what was taken over from there.
  return known && { verdict: known.verdict, evidence: known.evidence, sameAs: known.sameAs ?? known.id }
}
