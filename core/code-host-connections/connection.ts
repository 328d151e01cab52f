import { type Context, inTransaction, requireUser } from '../base/context.ts'
import { AppError, conflict, invalidField } from '../base/errors.ts'
import { recordAudit } from '../identity/audit/record.ts'
import { getOwnProject, lockOwnProject } from '../projects/get.ts'
import { acceptApiUrl, defaultApiUrl } from './api-url.ts'
import { connectedHost, encryptToken } from './connected-host.ts'
import { CodeHostConnectionEntity, type CodeHostConnectionRow } from './entity.ts'
import type { Connection, ConnectionRef, FoundConnection, SetConnection } from './schema.ts'

/** Returns the connection of a project without its token. */
export async function getConnection(ctx: Context, { projectId }: ConnectionRef): Promise<FoundConnection> {
  await getOwnProject(ctx, projectId, 'viewer')
  const row = await ctx.db.getRepository(CodeHostConnectionEntity).findOneBy({ projectId })
  return { connection: row && present(row) }
}

/** Checks a token at the code host and stores it as the connection of the project, instead of an earlier one. */
export async function setConnection(ctx: Context, input: SetConnection): Promise<FoundConnection> {
  const { userId } = requireUser(ctx)
  const { kind, token, projectId } = input
  const { repository } = await getOwnProject(ctx, projectId, 'admin')
  const address = input.apiUrl ?? defaultApiUrl(kind, repository)
  if (address === undefined) throw invalidField('projectId', 'the repository of the project is not at a code host')
  const apiUrl = acceptApiUrl(address, ctx.config)
  const host = connectedHost(ctx, { projectId, repository, kind, apiUrl, token })
  if (!host) throw invalidField('apiUrl', 'is not of the code host of the project’s repository')
  const missing = await host.findMissing().catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'TIMEOUT'
      ? conflict(error.message, { cause: error.cause })
      : error
  })
  if (missing !== undefined) throw invalidField('token', missing)
  return inTransaction(ctx, async (ctx) => {
    const project = await lockOwnProject(ctx, projectId, 'admin')
    if (project.repository !== repository) throw conflict('The repository of the project was changed. Try again.')
    const row: CodeHostConnectionRow = {
      projectId,
      kind,
      apiUrl,
      token: encryptToken(ctx.config, projectId, token),
      repository,
      setBy: userId,
      setAt: ctx.now(),
      lastProblem: null,
      lastProblemAt: null,
    }
    await ctx.db.getRepository(CodeHostConnectionEntity).save(row)
    const { organizationId } = project
    await recordAudit(ctx, 'code_host_connection_set', userId, { organizationId, projectId, kind, apiUrl })
    return { connection: present(row) }
  })
}

/** Deletes the connection of a project. What waits to be posted goes another way, or is given up. */
export async function removeConnection(ctx: Context, { projectId }: ConnectionRef): Promise<FoundConnection> {
  const { userId } = requireUser(ctx)
  return inTransaction(ctx, async (ctx) => {
    const { organizationId } = await lockOwnProject(ctx, projectId, 'admin')
    const { affected } = await ctx.db.getRepository(CodeHostConnectionEntity).delete({ projectId })
    if (affected) await recordAudit(ctx, 'code_host_connection_removed', userId, { organizationId, projectId })
    return { connection: null }
  })
}

function present({ kind, apiUrl, setBy, setAt, lastProblem, lastProblemAt }: CodeHostConnectionRow): Connection {
  return {
    kind,
    apiUrl,
    setBy,
    setAt: setAt.toISOString(),
    lastProblem,
    lastProblemAt: lastProblemAt?.toISOString() ?? null,
  }
}
