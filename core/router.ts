import { z } from 'zod'
import { analysisRouter, projectAnalysesRouter } from './analysis/router.ts'
import { organizationDeletionRouter, projectDeletionRouter } from './deletion/router.ts'
import { authRouter } from './identity/auth/router.ts'
import { billingRouter } from './billing/router.ts'
import { confirmationsRouter } from './confirmations/router.ts'
import { changesRouter } from './changes/router.ts'
import { gateRouter } from './gate/router.ts'
import { projectHistoryRouter } from './history/router.ts'
import { strengthRouter } from './strength/router.ts'
import { codeRouter } from './code/router.ts'
import { codeHostRouter } from './code-host/router.ts'
import { connectionsRouter } from './code-host-connections/router.ts'
import { filesRouter } from './files/router.ts'
import { generatedTestsRouter, generateTestsRouter } from './generated-tests/router.ts'
import { inboundRouter, projectInboundRouter } from './inbound/router.ts'
import { organizationsRouter } from './identity/organizations/router.ts'
import { projectsRouter } from './projects/router.ts'
import { selectionRouter, selectTestsRouter } from './selection/router.ts'
import { searchRouter } from './search/router.ts'
import { snapshotsRouter } from './snapshots/router.ts'
import { suggestionsRouter, suggestTestsRouter } from './suggestions/router.ts'
import { systemRouter } from './system/router.ts'
import { analyzeRepositoryRouter, projectRunsRouter, testRunsRouter } from './test-runs/router.ts'
import { tokensRouter } from './identity/tokens/router.ts'
import { mergeRouters, openProcedure, router } from './http/trpc.ts'
import { quarantineRouter } from './quarantine/router.ts'
import { testHealthRouter, testShardsRouter } from './tests/router.ts'
import { testsRouter } from './verifications/router.ts'
import { webhooksRouter } from './webhooks/router.ts'

/** Every procedure under `/trpc`, spelled as in the interface specification. */
export const appRouter = router({
  health: openProcedure.output(z.object({ ok: z.boolean() })).query(() => ({ ok: true })),
  auth: authRouter,
  tokens: tokensRouter,
  organizations: mergeRouters(organizationsRouter, organizationDeletionRouter),
  projects: mergeRouters(
    projectsRouter,
    projectRunsRouter,
    projectAnalysesRouter,
    projectInboundRouter,
    projectHistoryRouter,
    projectDeletionRouter,
  ),
  analysis: mergeRouters(analysisRouter, analyzeRepositoryRouter, suggestTestsRouter, generateTestsRouter),
  suggestions: suggestionsRouter,
  generatedTests: generatedTestsRouter,
  testRuns: mergeRouters(testRunsRouter, testShardsRouter, selectTestsRouter),
  tests: mergeRouters(testsRouter, testHealthRouter, confirmationsRouter),
  quarantine: quarantineRouter,
  changes: changesRouter,
  gate: gateRouter,
  selection: selectionRouter,
  strength: strengthRouter,
  code: codeRouter,
  search: searchRouter,
  snapshots: snapshotsRouter,
  inbound: inboundRouter,
  webhooks: webhooksRouter,
  billing: billingRouter,
  files: filesRouter,
  github: codeHostRouter,
  codeHost: connectionsRouter,
  system: systemRouter,
})

export type AppRouter = typeof appRouter
