import type { Scope } from '../../../core/base/schema.ts'

/** What a token with each scope may do: `scopeDescriptions` of core, whose module would bring zod into the browser. */
export const scopeTexts: Record<Scope, string> = {
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

export const scopes = Object.keys(scopeTexts) as Scope[]

/** Sets of scopes for the common uses of tokens. */
export const presets = {
  agent: {
    text: 'Coding agent',
    hint: 'Works on projects through MCP or the command line. Cannot manage members, tokens or your profile.',
    scopes: scopes.filter((scope) => !['org:admin', 'audit:read', 'tokens:manage', 'profile:write'].includes(scope)),
  },
  ci: {
    text: 'CI',
    hint: 'Uploads results, runs tests and reads them.',
    scopes: ['projects:read', 'tests:read', 'tests:run', 'artifacts:read'],
  },
  read: {
    text: 'Read only',
    hint: 'Reads projects, tests, webhooks and organizations. Changes nothing.',
    scopes: ['projects:read', 'tests:read', 'artifacts:read', 'webhooks:read', 'org:read', 'profile:read'],
  },
} as const satisfies Record<string, { text: string; hint: string; scopes: readonly Scope[] }>

export type Preset = keyof typeof presets

/** Returns the name of the preset with exactly these scopes. */
export function presetOf(chosen: readonly Scope[]): Preset | undefined {
  const names = Object.keys(presets) as Preset[]
  return names.find((name) => {
    const wanted: readonly Scope[] = presets[name].scopes
    return wanted.length === chosen.length && wanted.every((scope) => chosen.includes(scope))
  })
}
