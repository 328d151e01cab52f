import type { EntityManager } from 'typeorm'
import { z } from 'zod'
import { encryptTokens, readTokens, presentTokens, Tokens, type CodeHostTokens } from './link-tokens.ts'
import { AccountLinkEntity, type AccountLinkRow } from './entity.ts'
import type { Config } from '../config.ts'
import { boundedFetch, type CallLimits, NoUsableAnswer } from './bounded-fetch.ts'
import type { CodeHostContext } from './context.ts'
import { misconfigured, noUsableAnswer } from './problems.ts'

const refreshLimits: CallLimits = { deadlineMs: 5_000, maxBytes: 65_536 }

const refreshes = new Map<string, Promise<AccountLinkRow | undefined>>()

/**
 * Refreshes the token of a link. A refresh token is valid only once, so of concurrent callers in all processes one sends
 * the request, and the others get its result. Returns undefined if the account must be linked again.
 *
 * @param link - the link with the expired token
 */
export function refreshLink(ctx: CodeHostContext, link: AccountLinkRow): Promise<AccountLinkRow | undefined> {
  const running = refreshes.get(link.id)
  if (running) return running
  const refreshing = refreshAlone(ctx, link).finally(() => refreshes.delete(link.id))
  refreshes.set(link.id, refreshing)
  return refreshing
}

function refreshAlone(ctx: CodeHostContext, link: AccountLinkRow): Promise<AccountLinkRow | undefined> {
  // A separate transaction, because the new tokens must be stored even if the caller's transaction is rolled back.
  return ctx.db.connection.transaction(async (db) => {
    const current = await lockLink(db, link.id)
    if (!current || current.accessToken !== link.accessToken) return current ?? undefined
    const { refreshToken } = readTokens(ctx.config, current)
    const { client } = ctx.config.codeHost
    if (refreshToken === null || !client) return undefined
    const tokens = await requestTokens(ctx.config, client, refreshToken)
    const change = tokens
      ? { ...encryptTokens(ctx, link.id, tokens), scope: tokens.scope || current.scope, updatedAt: ctx.now() }
      : { refreshToken: null }
    await db.getRepository(AccountLinkEntity).update({ id: link.id }, change)
    return tokens && { ...current, ...change }
  })
}

async function lockLink(db: EntityManager, id: string): Promise<AccountLinkRow | null> {
  return db.getRepository(AccountLinkEntity).findOne({ where: { id }, lock: { mode: 'pessimistic_write' } })
}

const Refusal = z.object({ error: z.string().regex(/^[a-z_]{1,60}$/) })
const spent = new Set(['bad_refresh_token', 'invalid_grant'])
const ours = new Set(['incorrect_client_credentials', 'invalid_client', 'unauthorized_client'])

/** Returns undefined if the refresh token is no longer valid. */
async function requestTokens(
  { codeHost }: Pick<Config, 'codeHost'>,
  client: { id: string; secret: string },
  refreshToken: string,
): Promise<CodeHostTokens | undefined> {
  const body = new URLSearchParams({
    client_id: client.id,
    client_secret: client.secret,
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
  })
  const { origin } = new URL(codeHost.url)
  const headers = { Accept: 'application/json', 'User-Agent': 'Assay' }
  // Not aborted when the caller disconnects, because the refresh token cannot be used a second time.
  const post = boundedFetch({ origin, headers, limits: refreshLimits })
  const response = await post(`${codeHost.url}/login/oauth/access_token`, { method: 'POST', body }).catch(
    (error: unknown) => {
      throw error instanceof NoUsableAnswer ? noUsableAnswer(error.message) : error
    },
  )
  const answer = await response.json().catch(() => undefined)
  const tokens = Tokens.safeParse(answer)
  if (tokens.success) return presentTokens(tokens.data)
  const { error = `status ${response.status}` } = Refusal.safeParse(answer).data ?? {}
  if (spent.has(error)) return undefined
  throw ours.has(error) ? misconfigured() : noUsableAnswer(`it refused to renew a token (${error})`)
}
