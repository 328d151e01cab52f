/**
 * The allowed imports. `checks/main.ts` compares every import of the repository with this file; `npm run check`
 * fails where one crosses a border. `docs/architecture.md` explains the borders.
 */

/** An engine imports npm packages and the engines before it. */
export const engines = [
  'network',
  'source',
  'json',
  'processes',
  'test-names',
  'languages',
  'highlighting',
  'manifests',
  'parsing',
  'reports',
  'coverage',
  'test-plan',
  'analysis',
  'sandbox',
  'mutation',
  'verdicts',
  'strength',
  'health',
  'owners',
  'gate',
  'selection',
] as const

/** A domain of core imports engines, `base` and the domains before it. */
export const domains = [
  'base',
  'http',
  'jobs',
  'events',
  'identity/users',
  'identity/limits',
  'identity/audit',
  'identity/mail',
  'identity/organizations',
  'identity/sessions',
  'code-host',
  'projects',
  'code-host-connections',
  'code-host-posts',
  'workspaces',
  'snapshots',
  'ai',
  'coverage',
  'analysis',
  'identity/tokens',
  'identity/access',
  'files',
  'test-policy',
  'gate-policy',
  'selection',
  'quarantine',
  'test-runs',
  'tests',
  'suggestions',
  'generated-tests',
  'verdicts',
  'verifications',
  'confirmations',
  'changes',
  'strength',
  'history',
  'code',
  'gate',
  'search',
  'webhooks',
  'inbound',
  'billing',
  'system',
  'identity/auth',
  'identity/local-owner',
  'deletion',
  'pages',
  'openapi',
] as const

/** Files at the top of core that every domain may import; the other files there put the domains together. */
export const foundation: readonly string[] = ['core/config.ts', 'core/scopes.ts', 'core/work.ts']

/** Packages that make a library a server. No engine imports them. */
export const serverPackages: readonly string[] = ['koa', '@koa/', 'typeorm', 'pg', 'pg-boss', '@trpc/', 'pino', 'grant']

/** The only file that starts git: the settings of a repository can name programs, and it disables all of them. */
export const gitWrapper = 'engines/source/git.ts'

/** The files and folders of the product that start other programs. None of them starts git. */
export const programStarters: readonly string[] = [
  'engines/sandbox/',
  'engines/processes/child-processes.ts',
  'cli/run-command.ts',
  'core/workspaces/directories.ts',
  'local/child.ts',
  'local/dev.ts',
  'local/postgres.ts',
  'local/postgres-files.ts',
  'local/postgres-server.ts',
]

/** Tools of developers, which run on this repository only. */
export const developerTools: readonly string[] = [
  'bench/',
  'browser-tests/',
  'checks/',
  'docs/',
  'packaging/',
  'engines/languages/linguist/refresh.ts',
]

/** Programs that call core over the network: they know its schemas, and the type of its router. */
export const clients: readonly string[] = ['mcp-server', 'cli', 'dashboard']

/** The parts of core that the AI service may import. */
export const aiServiceContract = 'core/ai/schema.ts'

/** Circles of files that stay, each with the page in `docs/decisions/` that says why. */
export const acceptedCircles: readonly { files: readonly string[]; decision: string }[] = []
