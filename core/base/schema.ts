import { z } from 'zod'

/** The scopes of tokens. `core/scopes.ts` lists the scope that each procedure and route requires. */
export const Scope = z.enum([
  'projects:read',
  'projects:write',
  'analysis:run',
  'tests:read',
  'tests:run',
  'tests:write',
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

/** What a token with each scope may do, for people who choose scopes. */
export const scopeDescriptions: Readonly<Record<Scope, string>> = {
  'projects:read': 'Reads projects, their settings, analyses, suggestions and generated tests.',
  'projects:write': 'Creates, changes and deletes projects, and changes their settings and environment variables.',
  'analysis:run': 'Starts analyses, requests suggestions and generated tests, and dismisses them.',
  'tests:read': 'Reads test runs, results, logs, coverage, verifications, measurements and source code.',
  'tests:run': 'Starts and cancels test runs, verifications and measurements, and sends snapshots and reports.',
  'tests:write': 'Changes the rules for the health of tests, requests and grants quarantine, and merges renamed tests.',
  'artifacts:read': 'Lists and downloads the files of test runs.',
  'webhooks:read': 'Reads webhooks, their deliveries and deliveries of the code host.',
  'webhooks:write': 'Creates, changes and deletes webhooks, retries deliveries and rotates their secrets.',
  'org:read': 'Reads organizations, their members and their plan.',
  'org:admin': 'Creates, changes, leaves and deletes organizations, and manages their members and invitations.',
  'audit:read': 'Reads the audit log of the account and of the organizations that its user administers.',
  'tokens:manage': 'Creates, lists and revokes tokens of the account.',
  'profile:read': 'Reads the profile and the sessions of the account.',
  'profile:write': 'Changes the profile of the account and ends its sessions.',
}

/** The content of an error message in machine-readable form, so that no client has to parse the message. */
export const ErrorHint = z.discriminatedUnion('kind', [
  /** The token lacks this scope. */
  z.object({ kind: z.literal('missing_scope'), scope: Scope }),
  /** The call is restricted to one project or organization, by its token or by `X-Svc-Project`. */
  z.object({ kind: z.literal('confined'), to: z.enum(['project', 'organization']) }),
  /** `X-Svc-Project` names another project than the one that the token is restricted to. */
  z.object({ kind: z.literal('other_project') }),
  /** The message names these procedures and input fields. A client may replace them with its own names. */
  z.object({ kind: z.literal('names'), procedures: z.array(z.string()), fields: z.array(z.string()) }),
  /** The call requires this analysis, which is still running. Repeat the call when it has completed. */
  z.object({ kind: z.literal('analysis_running'), analysisId: z.string() }),
  /** The call measures the coverage with this run, which has not ended. Repeat the call to wait for it. */
  z.object({ kind: z.literal('measuring'), runId: z.string() }),
])
export type ErrorHint = z.infer<typeof ErrorHint>
