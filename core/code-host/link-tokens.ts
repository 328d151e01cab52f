import { z } from 'zod'
import type { Context } from '../base/context.ts'
import { decrypt, encrypt } from '../base/crypto.ts'
import type { Config } from '../config.ts'
import type { AccountLinkRow } from './entity.ts'

const text = z.string().max(4_096)
/** The response of the token endpoint. */
export const Tokens = z.object({
  access_token: text.regex(/^[\x21-\x7e]+$/),
  token_type: z
    .string()
    .regex(/^bearer$/i)
    .optional(),
  refresh_token: text.optional(),
  scope: text.optional(),
  expires_in: z.coerce
    .number()
    .positive()
    .max(10 * 366 * 86_400)
    .optional(),
})

export interface CodeHostTokens {
  accessToken: string
  refreshToken: string | null
  scope: string | null
  expiresInSeconds: number | null
}

export const presentTokens = (tokens: z.infer<typeof Tokens>): CodeHostTokens => ({
  accessToken: tokens.access_token,
  refreshToken: tokens.refresh_token ?? null,
  scope: tokens.scope ?? null,
  expiresInSeconds: tokens.expires_in ?? null,
})

const tokenPlace = (linkId: string, field: 'access_token' | 'refresh_token') => `account_links/${linkId}/${field}`

/** Decrypts the tokens of a link. They are only for calls to the code host, and must not be shown or logged. */
export function readTokens({ secretKey }: Pick<Config, 'secretKey'>, link: AccountLinkRow) {
  const { id, accessToken, refreshToken } = link
  return {
    accessToken: decrypt(secretKey, tokenPlace(id, 'access_token'), accessToken),
    refreshToken: refreshToken === null ? null : decrypt(secretKey, tokenPlace(id, 'refresh_token'), refreshToken),
  }
}

/** Encrypts tokens into the columns of a link. */
export function encryptTokens(ctx: Pick<Context, 'config' | 'now'>, linkId: string, tokens: CodeHostTokens) {
  const { accessToken, refreshToken, scope, expiresInSeconds } = tokens
  const seal = (field: 'access_token' | 'refresh_token', token: string) =>
    encrypt(ctx.config.secretKey, tokenPlace(linkId, field), token)
  return {
    accessToken: seal('access_token', accessToken),
    refreshToken: refreshToken === null ? null : seal('refresh_token', refreshToken),
    scope,
    accessTokenExpiresAt: expiresInSeconds === null ? null : new Date(ctx.now().getTime() + expiresInSeconds * 1_000),
  }
}
