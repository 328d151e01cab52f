import type { Scope } from '../../../core/base/schema.ts'

/** What a token with each scope may do. */
export const scopeTexts: Record<Scope, string> = {
  'projects:read': 'Read projects, their settings, analyses and suggestions.',
  'projects:write': 'Create, change and delete projects, and change their settings and environment variables.',
  'analysis:run': 'Analyze repositories, request suggestions and generated tests, and dismiss them.',
  'tests:read': 'Read test runs, results, logs, coverage, verifications and strength.',
  'tests:run': 'Run tests, upload results, verify tests and changes, and cancel what runs.',
  'artifacts:read': 'List and download the files of runs, such as reports and screenshots.',
  'webhooks:read': 'Read webhooks, their deliveries and deliveries of the code host, without secrets.',
  'webhooks:write': 'Create, change, test and delete webhooks, and rotate secrets.',
  'org:read': 'Read organizations, their members and plans.',
  'org:admin': 'Create, change and delete organizations, and manage their members.',
  'audit:read': 'Read the audit log.',
  'tokens:manage': 'List and revoke tokens, and create tokens with at most the same scopes.',
  'profile:read': 'Read your profile, your sessions and your code host account.',
  'profile:write': 'Change your profile and end your sessions.',
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
