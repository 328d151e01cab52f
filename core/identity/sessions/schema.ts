import { z } from 'zod'
import { User } from '../users/schema.ts'

export const Session = z.object({
  id: z.string(),
  userId: z.string(),
  expiresAt: z.iso.datetime(),
  createdAt: z.iso.datetime(),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  /** The id again, not the secret: clients of better-auth pass this field to revoke-session. */
  token: z.string(),
  /** True for the session of the call. */
  current: z.boolean(),
})
export type Session = z.infer<typeof Session>

/** `GET /api/auth/get-session`. */
export const CurrentSession = z.object({
  session: z.object({
    id: z.string(),
    userId: z.string(),
    expiresAt: z.iso.datetime(),
    createdAt: z.iso.datetime(),
  }),
  user: User,
})
export type CurrentSession = z.infer<typeof CurrentSession>

/** The answer of `GET /api/auth/get-session` without a session. */
export const NoSession = z.object({ session: z.null(), user: z.null() })

/** RPC `auth.getSession`. */
export const SessionInfo = z.object({ user: User.nullable(), isAuthenticated: z.boolean() })
export type SessionInfo = z.infer<typeof SessionInfo>

const sessionReference = z.string().min(1).max(200)
export const RevokeSession = z.object({ sessionToken: sessionReference })
export type RevokeSession = z.infer<typeof RevokeSession>

export const RevokeSessionBody = z.object({ token: sessionReference.describe('A session id, or the session token') })

export const Done = z.object({ success: z.boolean() })
export type Done = z.infer<typeof Done>
