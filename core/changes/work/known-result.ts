import { IsNull, Not } from 'typeorm'
import type { Context } from '../../base/context.ts'
import { ChangeEntity, type ChangeRow } from '../entity.ts'

/** Finds an earlier final verdict on the same change. */
export async function findKnownResult(
  ctx: Context,
  { id, projectId }: Pick<ChangeRow, 'id' | 'projectId'>,
  contentKey: string,
): Promise<Pick<ChangeRow, 'verdict' | 'evidence' | 'sameAs'> | null> {
  const known = await ctx.db.getRepository(ChangeEntity).findOne({
    where: { projectId, contentKey, status: 'completed', verdict: Not(IsNull()), id: Not(id) },
    order: { id: 'DESC' },
  })
  // `sameAs` names the verification that measured the result, not one that copied it.
  return known && { verdict: known.verdict, evidence: known.evidence, sameAs: known.sameAs ?? known.id }
}
