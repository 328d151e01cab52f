import { z } from 'zod'

/** What a token may be allowed to do; `core/scopes.ts` says which procedure and route needs which. */
export const Scope = z.enum([
  'projects:read',
  'projects:write',
  'analysis:run',
  'tests:read',
  'tests:run',
  'artifacts:read',
  'webhooks:read',
  'webhooks:write',
  'org:read',
  'org:admin',
  'audit:read',
  'tokens:manage',
  'profile:read',
  'profile:write',
])
export type Scope = z.infer<typeof Scope>

/** Tells a program what a message tells a person, so that no client has to read the message. */
export const ErrorHint = z.discriminatedUnion('kind', [
  /** The token lacks this scope. */
  z.object({ kind: z.literal('missing_scope'), scope: Scope }),
  /** The call is confined to one project or organization, by its token or by `X-Svc-Project`. */
  z.object({ kind: z.literal('confined'), to: z.enum(['project', 'organization']) }),
  /** `X-Svc-Project` names another project than the one that the token is confined to. */
  z.object({ kind: z.literal('other_project') }),
  /** The message names these procedures and input fields. A client may put its own names in their place. */
  z.object({ kind: z.literal('names'), procedures: z.array(z.string()), fields: z.array(z.string()) }),
  /** The call needs this analysis, which has not ended. The same call works once it has. */
  z.object({ kind: z.literal('analysis_running'), analysisId: z.string() }),
])
export type ErrorHint = z.infer<typeof ErrorHint>
