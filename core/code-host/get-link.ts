import { type Context, requireUnconfined } from '../base/context.ts'
import { findLink, readsPrivate } from './account.ts'
import { codeHostName } from './code-host-name.ts'
import type { CodeHostLink } from './schema.ts'

/** Returns the account of the code host that the caller has linked, without its tokens. */
export async function getLink(ctx: Context): Promise<CodeHostLink> {
  const { userId } = requireUnconfined(ctx, 'read the code host account of a user')
  const link = await findLink(ctx, userId)
  return {
    available: ctx.config.codeHost.client !== undefined,
    name: codeHostName(ctx.config),
    linked: link ? { login: link.login, readsPrivate: readsPrivate(link) } : null,
  }
}
