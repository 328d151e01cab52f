import { z } from 'zod'
import { Scope } from '../../base/schema.ts'

/** The metadata of a token, without its plain text. */
export const Token = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(Scope),
  lastFour: z.string(),
  organizationId: z.string().nullable(),
  projectId: z.string().nullable(),
  expiresAt: z.iso.datetime(),
  /** Precise to the minute. */
  lastUsedAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
})
export type Token = z.infer<typeof Token>

export const CreateToken = z.object({
  name: z.string().trim().min(1).max(100),
  scopes: z.array(Scope).min(1, 'must contain at least one scope'),
  expiresInDays: z.int().min(1).max(365).optional(),
  organizationId: z.string().optional(),
  projectId: z.string().optional(),
})
export type CreateToken = z.infer<typeof CreateToken>

/** The only answer that contains the plain text of the token. */
export const CreatedToken = Token.extend({ token: z.string() })
export type CreatedToken = z.infer<typeof CreatedToken>

export const RevokeToken = z.object({ tokenId: z.string() })
export type RevokeToken = z.infer<typeof RevokeToken>

export const CurrentToken = Token.extend({
  user: z.object({ id: z.string(), email: z.string(), name: z.string() }),
})
export type CurrentToken = z.infer<typeof CurrentToken>
