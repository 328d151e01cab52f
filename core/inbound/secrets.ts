import type { EntityManager } from 'typeorm'
import { recordAudit } from '../identity/audit/record.ts'
import { type Context, inTransaction, requireUser } from '../base/context.ts'
import { decrypt, encrypt, randomSecret } from '../base/crypto.ts'
import { queryByKeys } from '../base/prepared.ts'
import { lockOwnProject } from '../projects/get.ts'
import { InboundSecretEntity } from './entity.ts'
import { repositoryKey } from './repository-key.ts'
import type { CodeHostFacts, RotatedInboundSecret, RotateInboundSecret } from './schema.ts'

const hour = 3_600_000
const placeOf = (projectId: string) => `inbound_secrets/${projectId}/secret`

/**
 * Creates or replaces the project's inbound secret and returns the new one, which cannot be read again. The previous
 * secret stays valid during the overlap, so that the code host can switch. 0 hours end it immediately.
 */
export async function rotateInboundSecret(ctx: Context, input: RotateInboundSecret): Promise<RotatedInboundSecret> {
  const { userId } = requireUser(ctx)
  const secret = randomSecret()
  return inTransaction(ctx, async (ctx) => {
    const { id: projectId, organizationId } = await lockOwnProject(ctx, input.projectId, 'admin')
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
    await recordAudit(ctx, 'inbound_secret_rotated', userId, { organizationId, projectId, previousSecretUntil })
    return { secret, url: `${ctx.config.baseUrl}/api/webhooks/code-host/${projectId}`, previousSecretUntil }
  })
}

/** The receiver of one project. */
export interface ProjectReceiver {
  projectId: string
  /** The valid secrets. */
  secrets: string[]
  /** The project's repository as its owner wrote it. */
  repository: string
  /** The code host's id of that repository, once a delivery has named it. */
  repositoryId: string | null
}

const findSecrets = {
  name: 'find-inbound-secrets',
  text: `
    SELECT s.project_id, s.secret, s.previous_secret, s.previous_until, p.repository,
           CASE WHEN s.repository_key = repository_key(p.repository) THEN s.repository_id END AS repository_id
      FROM inbound_secrets s JOIN projects p ON p.id = s.project_id
     WHERE s.project_id = ANY ($1::text[])`,
}

/** Loads the receiver of each project; undefined if the project does not exist or has no secret. */
export async function loadReceivers(
  { db, config, now }: Pick<Context, 'db' | 'config' | 'now'>,
  projectIds: string[],
): Promise<(ProjectReceiver | undefined)[]> {
  const found = await queryByKeys<FoundSecret>(db, findSecrets, projectIds, (row) => row.project_id)
  const receiverOf = (row: FoundSecret): ProjectReceiver => {
    const { project_id: projectId, secret, previous_secret: previous, previous_until: until } = row
    const good = previous !== null && until !== null && until > now() ? [secret, previous] : [secret]
    const secrets = good.map((encrypted) => decrypt(config.secretKey, placeOf(projectId), encrypted))
    return { projectId, secrets, repository: row.repository, repositoryId: row.repository_id }
  }
  // A busy project is asked for many times at once, and its secrets are decrypted once.
  const receivers = new Map<FoundSecret, ProjectReceiver>()
  return found.map((row) => {
    if (!row) return undefined
    const receiver = receivers.get(row) ?? receiverOf(row)
    receivers.set(row, receiver)
    return receiver
  })
}

/**
 * Checks whether a payload belongs to the project's repository: it has the same URL, or the same id at the code host,
 * which survives a rename. Local paths, which only local mode allows, cannot be compared.
 */
export function isOwnRepository({ repository, repositoryId }: ProjectReceiver, facts: CodeHostFacts): boolean {
  const key = repositoryKey(repository)
  if (key === undefined || facts.repositories.includes(key)) return true
  return repositoryId !== null && facts.repositoryId === Number(repositoryId)
}

/** Stores the code host's id of the project's repository from a delivery with the same URL. */
export async function rememberRepository(
  db: EntityManager,
  { projectId, repository, repositoryId }: ProjectReceiver,
  facts: CodeHostFacts,
): Promise<void> {
  const key = repositoryKey(repository)
  if (key === undefined || !facts.repositories.includes(key)) return
  if (facts.repositoryId === null || String(facts.repositoryId) === repositoryId) return
  await db.query(
    `UPDATE inbound_secrets SET repository_id = $2, repository_key = repository_key(p.repository)
       FROM projects p WHERE p.id = $1 AND project_id = $1 AND p.repository = $3`,
    [projectId, facts.repositoryId, repository],
  )
}

interface FoundSecret {
  project_id: string
  secret: string
  previous_secret: string | null
  previous_until: Date | null
  repository: string
  /** Postgres' bigint arrives as text. */
  repository_id: string | null
}
