import { z } from 'zod'
import { CodeHostKind } from '../code-host/schema.ts'

const userEmail = z.string().max(320).optional()

export const ConnectionRef = z.object({ projectId: z.string(), userEmail })
export type ConnectionRef = z.infer<typeof ConnectionRef>

export const SetConnection = z.object({
  projectId: z.string(),
  kind: CodeHostKind,
  /** The address of the API; by default that of the kind at the host of the project's repository. */
  apiUrl: z.string().max(2_048).optional(),
  token: z
    .string()
    .max(4_096)
    .regex(/^[\x21-\x7e]+$/, 'must be a token of the code host, without spaces'),
  userEmail,
})
export type SetConnection = z.infer<typeof SetConnection>

/** A connection without its token. */
export const Connection = z.object({
  kind: CodeHostKind,
  apiUrl: z.string(),
  /** Null if the account was deleted. */
  setBy: z.string().nullable(),
  setAt: z.iso.datetime(),
  /** Why Assay gave up a post, or cannot use the connection; null if nothing failed since it was set. */
  lastProblem: z.string().nullable(),
  lastProblemAt: z.iso.datetime().nullable(),
})
export type Connection = z.infer<typeof Connection>

export const FoundConnection = z.object({ connection: Connection.nullable() })
export type FoundConnection = z.infer<typeof FoundConnection>
