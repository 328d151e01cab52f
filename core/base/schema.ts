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
