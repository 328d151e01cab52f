import { type Context, requireUser } from '../base/context.ts'
import { invalid } from '../base/errors.ts'
import type { EventType } from '../events/schema.ts'

interface Named {
  projectId?: string | undefined
  organizationId?: string | undefined
}

/** Returns the project or organization that a call names, or else the one that its token is restricted to. */
export function namedScope(
  ctx: Context,
  { projectId, organizationId }: Named,
): { projectId: string; organizationId?: string | undefined } | { projectId?: undefined; organizationId: string } {
  if (projectId !== undefined) return { projectId, organizationId }
  if (organizationId !== undefined) return { organizationId }
  const caller = requireUser(ctx)
  if (caller.projectId !== null) return { projectId: caller.projectId }
  if (caller.organizationId !== null) return { organizationId: caller.organizationId }
  throw invalid('projectId: is required, or organizationId for all projects of an organization')
}

export const notOfThatOrganization = () =>
  invalid('projectId: is not a project of that organization. Leave out organizationId.')

/** @throws AppError 400 if the webhook could never receive one of the events */
export function requireReceivable(events: readonly EventType[], { projectId }: { projectId: string | null }): void {
  if (projectId === null || !events.includes('project.created')) return
  throw invalid(
    'events: a webhook of one project cannot receive project.created. Leave it out, or create the webhook for the organization.',
  )
}
