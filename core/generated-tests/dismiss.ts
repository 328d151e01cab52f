import { In } from 'typeorm'
import { type Context, inTransaction, tokenIdOf, userIdOf } from '../base/context.ts'
import { SuggestionEntity } from '../suggestions/entity.ts'
import { GeneratedTestEntity } from './entity.ts'
import { getOwnGeneratedTest, noSuchGeneratedTest } from './get.ts'
import { presentGeneratedTest } from './present.ts'
import type { GeneratedTest, GeneratedTestRef } from './schema.ts'

/** Dismisses a test, and its suggestion if that is open. A dismissed test does not change. */
export async function dismissGeneratedTest(ctx: Context, input: GeneratedTestRef): Promise<GeneratedTest> {
  await getOwnGeneratedTest(ctx, input.generatedTestId, 'member')
  return inTransaction(ctx, async (tx) => {
    const tests = tx.db.getRepository(GeneratedTestEntity)
    const row = await tests.findOne({ where: { id: input.generatedTestId }, lock: { mode: 'pessimistic_write' } })
    if (!row) throw noSuchGeneratedTest()
    if (row.dismissedAt) return presentGeneratedTest(ctx, row)
    const dismissedAt = tx.now()
    const [dismissedBy, dismissedByToken] = [userIdOf(tx), tokenIdOf(tx)]
    await tests.update({ id: row.id }, { dismissedAt, dismissedBy, dismissedByToken })
    if (row.suggestionId !== null) {
      const open = { id: row.suggestionId, status: In(['open', 'outdated'] as const) }
      await tx.db.getRepository(SuggestionEntity).update(open, {
        status: 'dismissed',
        updatedAt: dismissedAt,
        resolvedAt: dismissedAt,
        resolvedBy: dismissedBy,
        resolvedByToken: dismissedByToken,
      })
    }
    return presentGeneratedTest(ctx, { ...row, dismissedAt })
  })
}
