import { recordAudit } from '../identity/audit/record.ts'
import { type Context, inTransaction, requireUser } from '../base/context.ts'
import { decrypt, encrypt, randomSecret } from '../base/crypto.ts'
import { lockOwnProject } from '../projects/get.ts'
import { InboundSecretEntity } from './entity.ts'
import type { RotatedInboundSecret, RotateInboundSecret } from './schema.ts'

const hour = 3_600_000
const placeOf = (projectId: string) => `inbound_secrets/${projectId}/secret`

/**
 * Makes the project's inbound secret, or replaces it, and answers the new one, which cannot be read again. The one
 * before stays good for a while, so that nothing is refused until the code host has the new one; 0 hours end it at once.
 */
export async function rotateInboundSecret(ctx: Context, input: RotateInboundSecret): Promise<RotatedInboundSecret> {
  const { userId } = requireUser(ctx)
  const secret = randomSecret()
  return inTransaction(ctx, async (ctx) => {
    const { id: projectId } = await lockOwnProject(ctx, input.projectId, 'admin')
    const secrets = ctx.db.getRepository(InboundSecretEntity)
    const before = await secrets.findOneBy({ projectId })
    const now = ctx.now()
    const overlaps = before !== null && input.overlapHours > 0
    const previousUntil = overlaps ? new Date(now.getTime() + input.overlapHours * hour) : null
    await secrets.save({
      projectId,
      secret: encrypt(ctx.config.secretKey, placeOf(projectId), secret),
      previousSecret: overlaps ? before.secret : null,
      previousUntil,
      rotatedAt: now,
    })
    const previousSecretUntil = previousUntil?.toISOString() ?? null
    await recordAudit(ctx, 'inbound_secret_rotated', userId, { projectId, previousSecretUntil })
    return { secret, url: `${ctx.config.baseUrl}/api/webhooks/code-host/${projectId}`, previousSecretUntil }
  })
}

/** For each project the secrets that its deliveries may be signed with just now. */
export async function loadInboundSecrets(
  { db, config, now }: Pick<Context, 'db' | 'config' | 'now'>,
  projectIds: string[],
): Promise<string[][]> {
  const found = await db.query<FoundSecret[]>(
    'SELECT project_id, secret, previous_secret, previous_until FROM inbound_secrets WHERE project_id = ANY ($1)',
    [[...new Set(projectIds)]],
  )
  const byProject = new Map(
    found.map(({ project_id: projectId, secret, previous_secret: previous, previous_until: until }) => {
      const good = previous !== null && until !== null && until > now() ? [secret, previous] : [secret]
      return [projectId, good.map((encrypted) => decrypt(config.secretKey, placeOf(projectId), encrypted))]
    }),
  )
  return projectIds.map((projectId) => byProject.get(projectId) ?? [])
}

interface FoundSecret {
  project_id: string
  secret: string
  previous_secret: string | null
  previous_until: Date | null
}
