/** What a figure must reach. `atLeast` and `atMost` include the goal itself. */
export interface Goal {
  /** The work and the peer or limit that it is compared with. */
  work: string
  unit: '' | 'ms' | 's' | 'MiB' | '/s' | '%'
  atLeast?: number
  atMost?: number
}

/** The figures that `npm run bench -- all` prints, in the order of its table. */
export const goals = {
  rpcList: { work: 'RPC list with a bearer, limits off, of bare tRPC', unit: '', atLeast: 0.8 },
  rpcListLimited: { work: 'the same with limits on', unit: '', atLeast: 0.7 },
  rpcSession: { work: 'session check, of better-auth', unit: '', atLeast: 4 },
  mcpP50: { work: 'MCP tool over HTTP: added to its RPC calls, p50 at concurrency 8', unit: 'ms', atMost: 2 },
  mcpP95: { work: 'the same, p95', unit: 'ms', atMost: 5 },
  stdioMemory: { work: 'stdio server of a checkout, resident after a call', unit: 'MiB', atMost: 80 },
  stdioStart: { work: 'stdio server of a checkout: `initialize` answered', unit: 'ms', atMost: 120 },
  webhooksOut: { work: 'outgoing webhooks, of bare node:http', unit: '', atLeast: 0.75 },
  webhooksFlat: { work: 'the same: 5,000 endpoints, of 10 endpoints', unit: '', atLeast: 0.85 },
  webhooksIn: { work: 'inbound deliveries, of bare Koa + verify + insert', unit: '', atLeast: 0.7 },
  analysisCold: { work: 'analysis cold, 7,700 files', unit: 's', atMost: 1.2 },
  analysisFirst: { work: 'the same: languages and manifests', unit: 's', atMost: 0.3 },
  analysisPolyglot: { work: 'analysis cold, polyglot, 4,600 files', unit: 's', atMost: 2 },
  analysisAgainSmall: { work: 'analysis after 22 of 705 files', unit: 's', atMost: 0.1 },
  analysisAgain: { work: 'analysis after 22 of 7,700 files', unit: 's', atMost: 0.25 },
  verifyVitest: { work: 'verification, Vitest, of its commands in a shell', unit: '', atMost: 1.1 },
  runVitest: { work: 'warm run, Vitest, beyond 1.05 times the shell', unit: 's', atMost: 0.5 },
  storeResults: { work: 'storing 100,000 results, of parse + COPY', unit: '', atMost: 1.1 },
  digest: { work: 'digest with 100,000 failures', unit: 's', atMost: 0.1 },
  auditRows: { work: 'audit rows, each with its own commit', unit: '/s', atLeast: 3_000 },
  start: { work: 'start, nothing configured, warm', unit: 's', atMost: 0.8 },
} satisfies Record<string, Goal>

export type FigureName = keyof typeof goals
