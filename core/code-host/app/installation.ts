import { z } from 'zod'
import { conflict } from '../../base/errors.ts'
import type { CodeHostContext } from '../context.ts'
import { parseAnswer, unlessMissing } from '../hosts/answers.ts'
import type { CallHost } from '../hosts/api.ts'
import { type CodeHostClient, createClient, explainRefusal, statusOf } from '../rest-client.ts'
import { appToken } from './jwt.ts'

export interface Installation {
  id: string
  /** The login of the app in comments. */
  login: string
  call: CallHost
}

type AppConfig = { id: string; privateKey: string }
type Repository = { owner: string; name: string }

interface Known {
  installation: { id: number; slug: string } | undefined
  until: number
}

interface Issued {
  token: string
  until: number
}

/** A repository on which the app is not installed is looked up again after this time. */
const knownMs = 60_000
/** Tokens are valid for an hour. */
const tokenMs = 50 * 60_000
const maxKept = 1_000

const installations = new Map<string, Known>()
const tokens = new Map<string, Issued>()

const wording = {
  account: 'the GitHub App',
  advice:
    'An owner of the repository must grant the app the permissions checks: write, pull requests: write, contents: read and metadata: read.',
}

/** Finds the installation of the configured GitHub App on a repository; undefined if there is none. */
export async function findInstallation(
  ctx: CodeHostContext,
  repository: Repository,
): Promise<Installation | undefined> {
  const { app, apiUrl } = ctx.config.codeHost
  if (!app) return undefined
  const key = `${apiUrl} ${app.id} ${repository.owner}/${repository.name}`.toLowerCase()
  const found = await knownInstallation(ctx, app, repository, key)
  if (!found) return undefined
  return {
    id: String(found.id),
    login: `${found.slug}[bot]`,
    call: async (work) => {
      for (let attempt = 0; ; attempt++) {
        const token = await tokenOf(ctx, { app, key, repository, installation: found.id })
        try {
          const account = `installation-${found.id}`
          return await work(createClient({ apiUrl, token, account, signal: ctx.signal }))
        } catch (error) {
          if (statusOf(error) !== 401) throw explainRefusal(error, ctx.now(), wording)
          tokens.delete(key)
          installations.delete(key)
          if (attempt > 0) throw refused()
        }
      }
    },
  }
}

const refused = () => conflict('The code host rejects the tokens of the GitHub App. Check that it is still installed.')

async function knownInstallation(ctx: CodeHostContext, app: AppConfig, { owner, name }: Repository, key: string) {
  const known = installations.get(key)
  if (known && known.until > ctx.now().getTime()) return known.installation
  const answer = await unlessMissing(
    asApp(ctx, app, (client) => client.request('GET /repos/{owner}/{repo}/installation', { owner, repo: name })),
  )
  const found = answer && parseAnswer(Found, answer.data)
  const installation =
    found && (found.suspended_at ?? null) === null ? { id: found.id, slug: found.app_slug } : undefined
  keep(installations, key, { installation, until: ctx.now().getTime() + knownMs })
  return installation
}

const Found = z.object({ id: z.int().positive(), app_slug: z.string().max(200), suspended_at: z.string().nullish() })
const Token = z.object({ token: z.string().regex(/^[\x21-\x7e]{1,4096}$/) })

async function tokenOf(
  ctx: CodeHostContext,
  { app, key, repository, installation }: { app: AppConfig; key: string; repository: Repository; installation: number },
): Promise<string> {
  const issued = tokens.get(key)
  if (issued && issued.until > ctx.now().getTime()) return issued.token
  const { data } = await asApp(ctx, app, (client) =>
    client.request('POST /app/installations/{installation_id}/access_tokens', {
      installation_id: installation,
      // The token cannot reach other repositories of the installation.
      repositories: [repository.name],
    }),
  )
  const { token } = parseAnswer(Token, data)
  keep(tokens, key, { token, until: ctx.now().getTime() + tokenMs })
  return token
}

async function asApp<T>(
  ctx: CodeHostContext,
  app: AppConfig,
  work: (client: CodeHostClient) => Promise<T>,
): Promise<T> {
  const { apiUrl } = ctx.config.codeHost
  const token = appToken(app, ctx.now())
  try {
    return await work(createClient({ apiUrl, token, account: `app-${app.id}`, signal: ctx.signal }))
  } catch (error) {
    if (statusOf(error) !== 401) throw explainRefusal(error, ctx.now(), wording)
    throw conflict(
      'The code host rejects the GitHub App. The operator must check CODE_HOST_APP_ID and CODE_HOST_APP_PRIVATE_KEY.',
    )
  }
}

function keep<Value>(kept: Map<string, Value>, key: string, value: Value): void {
  kept.delete(key)
  kept.set(key, value)
  for (const oldest of kept.keys()) if (kept.size > maxKept) kept.delete(oldest)
}
