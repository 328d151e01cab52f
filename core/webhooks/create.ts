import { IsNull } from 'typeorm'
import { recordAudit } from '../identity/audit/record.ts'
import { type Context, inTransaction, requireUser } from '../base/context.ts'
import { encrypt } from '../base/crypto.ts'
import { conflict, procedureHint } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { lockOwnOrganization } from '../identity/organizations/get.ts'
import { lockOwnProject } from '../projects/get.ts'
import { WebhookEntity, type WebhookRow } from './entity.ts'
import { presentWebhook } from './present.ts'
import { namedScope, notOfThatOrganization, requireReceivable } from './scope.ts'
import type { CreatedWebhook, CreateWebhook } from './schema.ts'
import { newWebhookSecret, secretPlace } from './secret.ts'
import { acceptWebhookUrl, urlRules } from './url.ts'

type Scope = Pick<WebhookRow, 'organizationId' | 'projectId'>

const maxOfProject = 50
const maxOfOrganization = 100

/**
 * Creates a webhook that delivers events of a project, or of all projects of an organization, to a URL. The secret
 * cannot be read again.
 */
export async function createWebhook(ctx: Context, input: CreateWebhook): Promise<CreatedWebhook> {
  const { userId } = requireUser(ctx)
  const now = ctx.now()
  const id = newId(now)
  const secret = input.secret ?? newWebhookSecret()
  return inTransaction(ctx, async (ctx) => {
    const scope = await lockScope(ctx, input)
    requireReceivable(input.events, scope)
    const url = acceptWebhookUrl(input.url, urlRules(ctx.config)).href
    await requireBelowLimit(ctx, scope)
    const row: WebhookRow = {
      id,
      ...scope,
      userId,
      url,
      description: input.description ?? null,
      events: input.events,
      secret: encrypt(ctx.config.secretKey, secretPlace(id), secret),
      previousSecret: null,
      previousSecretUntil: null,
      active: true,
      pausedAt: null,
      disabledReason: null,
      failingSince: null,
      failuresInRow: 0,
      openUntil: null,
      deliveryCount: 0,
      lastDeliveryAt: null,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    }
    await ctx.db.getRepository(WebhookEntity).insert(row)
    await recordAudit(ctx, 'webhook_created', userId, { webhookId: id, ...scope, host: new URL(url).host })
    return { webhook: { ...presentWebhook(row, now, 'admin'), secret } }
  })
}

/** Locks the project or organization until the transaction ends, so that the limit holds under concurrency. */
async function lockScope(ctx: Context, input: CreateWebhook): Promise<Scope> {
  const { projectId, organizationId } = namedScope(ctx, input)
  if (projectId !== undefined) {
    const project = await lockOwnProject(ctx, projectId, 'admin')
    if (organizationId !== undefined && organizationId !== project.organizationId) throw notOfThatOrganization()
    return { projectId, organizationId: project.organizationId }
  }
  await lockOwnOrganization(ctx, organizationId, 'admin')
  return { projectId: null, organizationId }
}

async function requireBelowLimit(ctx: Context, { projectId, organizationId }: Scope): Promise<void> {
  const webhooks = ctx.db.getRepository(WebhookEntity)
  const scope = projectId === null ? { projectId: IsNull(), organizationId: organizationId ?? IsNull() } : { projectId }
  const max = projectId === null ? maxOfOrganization : maxOfProject
  if ((await webhooks.countBy({ ...scope, deletedAt: IsNull() })) < max) return
  const owner = projectId === null ? 'organization' : 'project'
  throw conflict(
    `The ${owner} has ${max} webhooks, which is the maximum. Delete one with webhooks.delete.`,
    procedureHint('webhooks.delete'),
  )
}
