import { type Context, requireUser } from '../base/context.ts'
import { invalid } from '../base/errors.ts'
import type { EventType } from '../events/schema.ts'

interface Named {
  projectId?: string | undefined
  organizationId?: string | undefined
}

/** What a call names: a project, or an organization for all of its projects; else what its token is confined to. */
export function namedScope(
  ctx: Context,
  { projectId, organizationId }: Named,
): { projectId: string; organizationId?: string | undefined } | { projectId?: undefined; organizationId: string } {
  if (projectId !== undefined) return { projectId, organizationId }
  if (organizationId !== undefined) return { organizationId }
  const confines = requireUser(ctx)
  if (confines.projectId !== null) return { projectId: confines.projectId }
  if (confines.organizationId !== null) return { organizationId: confines.organizationId }
  throw invalid('projectId: is required, or organizationId for all projects of an organization')
}

export const notOfThatOrganization = () =>
  invalid('projectId: is not a project of that organization. Leave out organizationId.')

/** @throws AppError 400 where the webhook could never hear of an event that it is to listen for */
export function requireAudible(events: readonly EventType[], { projectId }: { projectId: string | null }): void {
  if (projectId === null || !events.includes('project.created')) return
  throw invalid(
    'events: a webhook of one project cannot receive project.created. Leave it out, or create the webhook for the organization.',
  )
}
