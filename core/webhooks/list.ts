import { IsNull } from 'typeorm'
import { type Context, requireUser } from '../context.ts'
import { getOwnOrganization } from '../organizations/get.ts'
import { getOwnProject } from '../projects/get.ts'
import { notOfThatOrganization, withoutScope } from './create.ts'
import { WebhookEntity } from './entity.ts'
import { presentWebhook } from './present.ts'
import type { ListWebhooks, WebhookList } from './schema.ts'

/**
 * The webhooks that hear of a project, its organization's included, or those of an organization, newest first. A token
 * that is confined to the project sees its own alone.
 */
export async function listWebhooks(ctx: Context, input: ListWebhooks): Promise<WebhookList> {
  const rows = await ctx.db
    .getRepository(WebhookEntity)
    .find({ where: await conditions(ctx, input), order: { id: 'DESC' } })
  return { webhooks: rows.map((row) => presentWebhook(row, ctx.now())) }
}

async function conditions(ctx: Context, { projectId, organizationId }: ListWebhooks) {
  const ofOrganization = (id: string) => ({ organizationId: id, projectId: IsNull(), deletedAt: IsNull() })
  if (projectId !== undefined) {
    const project = await getOwnProject(ctx, projectId, 'viewer')
    if (organizationId !== undefined && organizationId !== project.organizationId) throw notOfThatOrganization()
    const own = { projectId, deletedAt: IsNull() }
    const confined = requireUser(ctx).projectId !== null
    return project.organizationId === null || confined ? [own] : [own, ofOrganization(project.organizationId)]
  }
  if (organizationId === undefined) throw withoutScope()
  await getOwnOrganization(ctx, organizationId)
  return [ofOrganization(organizationId)]
}
