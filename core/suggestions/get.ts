import type { Context } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import { requireRole } from '../identity/organizations/roles.ts'
import type { Role } from '../identity/organizations/schema.ts'
import { findOwnProject, type OwnProject } from '../projects/get.ts'
import { SuggestionEntity, type SuggestionRow } from './entity.ts'

/**
 * Another user's suggestion gets the same error as a suggestion that does not exist.
 *
 * @throws AppError 404; 403 if the caller's role in the organization is below `minRole`
 */
export async function getOwnSuggestion(
  ctx: Context,
  suggestionId: string,
  minRole: Role,
): Promise<{ suggestion: SuggestionRow; project: OwnProject }> {
  const suggestion = await ctx.db.getRepository(SuggestionEntity).findOneBy({ id: suggestionId })
  const project = suggestion && (await findOwnProject(ctx, suggestion.projectId))
  if (!project) throw noSuchSuggestion()
  requireRole(project.role, minRole)
  return { suggestion, project }
}

export const noSuchSuggestion = () =>
  notFound('suggestion', 'suggestions.list lists the suggestions of a project.', procedureHint('suggestions.list'))
