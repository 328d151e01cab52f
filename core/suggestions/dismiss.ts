import { type Context, inTransaction, tokenIdOf, userIdOf } from '../base/context.ts'
import { conflict } from '../base/errors.ts'
import { SuggestionEntity } from './entity.ts'
import { getOwnSuggestion, noSuchSuggestion } from './get.ts'
import { presentSuggestion } from './present.ts'
import type { StoredSuggestion, SuggestionRef } from './schema.ts'

/** Dismisses a suggestion, so that Assay does not repeat it. A dismissed suggestion does not change. */
export async function dismissSuggestion(ctx: Context, input: SuggestionRef): Promise<StoredSuggestion> {
  await getOwnSuggestion(ctx, input.suggestionId, 'member')
  return inTransaction(ctx, async (tx) => {
    const suggestions = tx.db.getRepository(SuggestionEntity)
    const row = await suggestions.findOne({ where: { id: input.suggestionId }, lock: { mode: 'pessimistic_write' } })
    if (!row) throw noSuchSuggestion()
    if (row.status === 'accepted') {
      throw conflict('This suggestion is already accepted, so it is not suggested again.')
    }
    if (row.status === 'dismissed') return presentSuggestion(ctx, row)
    const now = tx.now()
    const resolved = { resolvedAt: now, resolvedBy: userIdOf(tx), resolvedByToken: tokenIdOf(tx) }
    const change = { status: 'dismissed' as const, updatedAt: now, ...resolved }
    await suggestions.update({ id: row.id }, change)
    return presentSuggestion(ctx, { ...row, ...change })
  })
}
