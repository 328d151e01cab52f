import { z } from 'zod'
import { findInstallation, type Installation } from '../code-host/app/installation.ts'
import { asLinkedUser } from '../code-host/client.ts'
import type { CodeHostContext } from '../code-host/context.ts'
import { findLink } from '../code-host/account.ts'
import { parseAnswer, unlessMissing } from '../code-host/hosts/answers.ts'
import type { CallHost, CodeHostApi } from '../code-host/hosts/api.ts'
import { gitHubApi, isWriter } from '../code-host/hosts/github.ts'
import { findReader, placeOnCodeHost, type RepositoryOf } from '../code-host/repository-access.ts'
import { connectedHost, decryptToken } from './connected-host.ts'
import { CodeHostConnectionEntity } from './entity.ts'
import { loginOf } from './login-of.ts'

export type HostedProject = RepositoryOf & { id: string }

/** Why a project's code host cannot be reached, as a clause. */
export interface NoHost {
  problem: string
}

/**
 * Returns the API of a project's code host: with the project's connection, else with the GitHub App, else with the linked
 * account of the user who chose the repository. Returns undefined if the repository is not at a code host.
 */
export async function hostOf(ctx: CodeHostContext, project: HostedProject): Promise<CodeHostApi | NoHost | undefined> {
  const connected = await hostOfConnection(ctx, project)
  if (connected) return connected
  const repository = placeOnCodeHost(ctx.config, project.repository)
  if (!repository) return undefined
  const { apiUrl, app } = ctx.config.codeHost
  const place = `${apiUrl} ${repository.owner}/${repository.name}`
  const reader = await findReader(ctx, project)
  const installation = await findInstallation(ctx, repository)
  if (app && installation && (await mayUseApp(ctx, { installation, repository, reader }))) {
    const { call, login, id } = installation
    const account = `installation-${id}`
    return gitHubApi({ call, account, place: `${place} app ${app.id}`, repository, app, login: async () => login })
  }
  if (reader === undefined) return { problem: 'no linked account may post it' }
  const call: CallHost = (work) => asLinkedUser(ctx, reader, work)
  return gitHubApi({
    call,
    account: `user-${reader}`,
    place: `${place} user ${reader}`,
    repository,
    login: () => loginOf(call),
  })
}

/** Returns the API with the connection of a project; undefined if it has none. */
async function hostOfConnection(
  ctx: CodeHostContext,
  project: HostedProject,
): Promise<CodeHostApi | NoHost | undefined> {
  const row = await ctx.db.getRepository(CodeHostConnectionEntity).findOneBy({ projectId: project.id })
  if (!row) return undefined
  // A member who changes the repository must not reach another one with the token of an admin.
  if (row.repository !== project.repository) {
    return { problem: 'the repository of the project was changed after the connection was set' }
  }
  const { projectId, repository, kind, apiUrl } = row
  const token = decryptToken(ctx.config, projectId, row.token)
  const host = connectedHost(ctx, { projectId, repository, kind, apiUrl, token })
  return host ?? { problem: 'the connection is not of the code host of the repository' }
}

const writers = new Map<string, number>()
const writerMs = 10 * 60_000
const maxWriters = 1_000

/**
 * Every user can create a project with the address of another user's repository. Therefore the app acts only for
 * projects whose reader may push to the repository.
 */
async function mayUseApp(
  ctx: CodeHostContext,
  {
    installation,
    repository: { owner, name: repo },
    reader,
  }: { installation: Installation; repository: { owner: string; name: string }; reader: string | undefined },
): Promise<boolean> {
  // Local mode has one user.
  if (ctx.config.local) return true
  const link = reader === undefined ? undefined : await findLink(ctx, reader)
  if (!link || link.login === null) return false
  const key = `${ctx.config.codeHost.apiUrl} ${owner}/${repo} ${link.providerAccountId}`
  if ((writers.get(key) ?? 0) > ctx.now().getTime()) return true
  const path = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission'
  const { login: username } = link
  const found = await unlessMissing(installation.call((client) => client.request(path, { owner, repo, username })))
  const answer = found && parseAnswer(Permission, found.data)
  // The login may belong to another user by now, the id does not.
  const mayPush =
    answer !== undefined && isWriter(answer.permission) && String(answer.user.id) === link.providerAccountId
  if (writers.size >= maxWriters) writers.clear()
  if (mayPush) writers.set(key, ctx.now().getTime() + writerMs)
  return mayPush
}

const Permission = z.object({ permission: z.string(), user: z.object({ id: z.int() }) })
