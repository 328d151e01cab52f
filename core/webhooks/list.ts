import { IsNull } from 'typeorm'
import { type Context, requireUser } from '../base/context.ts'
import { getOwnOrganization } from '../identity/organizations/get.ts'
import { getOwnProject } from '../projects/get.ts'
import { WebhookEntity } from './entity.ts'
import { presentWebhook } from './present.ts'
import type { ListWebhooks, WebhookList } from './schema.ts'
import { namedScope, notOfThatOrganization } from './scope.ts'

/**
 * Lists the webhooks that receive events of a project, including those of its organization, or the webhooks of an
 * organization, newest first. A token that is restricted to the project sees only the project's own webhooks.
 */
export async function listWebhooks(ctx: Context, input: ListWebhooks): Promise<WebhookList> {
  const { where, role } = await conditions(ctx, input)
  const rows = await ctx.db.getRepository(WebhookEntity).find({ where, order: { id: 'DESC' } })
  return { webhooks: rows.map((row) => presentWebhook(row, ctx.now(), role)) }
}

async function conditions(ctx: Context, input: ListWebhooks) {
  const { projectId, organizationId } = namedScope(ctx, input)
  const ofOrganization = (id: string) => ({ organizationId: id, projectId: IsNull(), deletedAt: IsNull() })
  if (projectId !== undefined) {
    const project = await getOwnProject(ctx, projectId, 'viewer')
    if (organizationId !== undefined && organizationId !== project.organizationId) throw notOfThatOrganization()
    const own = { projectId, deletedAt: IsNull() }
    const confined = requireUser(ctx).projectId !== null
    const wide = project.organizationId === null || confined ? [] : [ofOrganization(project.organizationId)]
    return { where: [own, ...wide], role: project.role }
  }
  const { role } = await getOwnOrganization(ctx, organizationId)
  return { where: [ofOrganization(organizationId)], role }
}
