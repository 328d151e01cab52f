import type { Context } from '../base/context.ts'
import { getOwnProject } from '../projects/get.ts'
import { SuggestionEntity } from './entity.ts'
import { presentSuggestion } from './present.ts'
import type { ListSuggestions, SuggestionsPage } from './schema.ts'

/** Lists the suggestions of a project, newest first. */
export async function listSuggestions(ctx: Context, input: ListSuggestions): Promise<SuggestionsPage> {
  const { limit, offset, status } = input
  const { id: projectId } = await getOwnProject(ctx, input.projectId, 'viewer')
  const [rows, total] = await ctx.db.getRepository(SuggestionEntity).findAndCount({
    where: { projectId, ...(status === undefined ? {} : { status }) },
    order: { id: 'DESC' },
    take: limit,
    skip: offset,
  })
  return { suggestions: rows.map((row) => presentSuggestion(ctx, row)), pagination: { total, limit, offset } }
}
