import { createRouter } from '@tanstack/react-router'
import { queryClient } from './api.ts'
import { accountRoute } from './pages/account/route.ts'
import { activityRoute } from './pages/activity/route.ts'
import { auditRoute } from './pages/audit/route.ts'
import { changeRoute } from './pages/change/route.ts'
import { changesRoute } from './pages/changes/route.ts'
import { codeRoute } from './pages/code/route.ts'
import { coverageRoute } from './pages/coverage/route.ts'
import { gateRoute } from './pages/gate/route.ts'
import { gatesRoute } from './pages/gates/route.ts'
import { selectionRoute } from './pages/selection/route.ts'
import { generatedTestRoute } from './pages/generated-test/route.ts'
import { measurementRoute } from './pages/measurement/route.ts'
import { organizationRoute } from './pages/organization/route.ts'
import { organizationsRoute } from './pages/organizations/route.ts'
import { projectOverviewRoute } from './pages/project/route.ts'
import { projectSettingsRoute } from './pages/project-settings/route.ts'
import { guessedProjectsRoute, projectsRoute } from './pages/projects/route.ts'
import { runRoute } from './pages/run/route.ts'
import { runsRoute } from './pages/runs/route.ts'
import { sessionsRoute } from './pages/sessions/route.ts'
import { strengthRoute } from './pages/strength/route.ts'
import { suggestionsRoute } from './pages/suggestions/route.ts'
import { systemRoute } from './pages/system/route.ts'
import { testRoute } from './pages/test/route.ts'
import { testsRoute } from './pages/tests/route.ts'
import { tokensRoute } from './pages/tokens/route.ts'
import { verificationRoute } from './pages/verification/route.ts'
import { verificationsRoute } from './pages/verifications/route.ts'
import { webhookRoute } from './pages/webhook/route.ts'
import { webhooksRoute } from './pages/webhooks/route.ts'
import { projectRoute, rootRoute } from './root-route.tsx'
import { parseSearch, stringifySearch } from './search-params.ts'
import { PageFailed } from './shell/page-failed.tsx'

/** Every page of the dashboard. */
const routeTree = rootRoute.addChildren([
  projectsRoute,
  guessedProjectsRoute,
  organizationsRoute,
  organizationRoute,
  systemRoute,
  accountRoute,
  tokensRoute,
  sessionsRoute,
  auditRoute,
  projectRoute.addChildren([
    projectOverviewRoute,
    runsRoute,
    runRoute,
    testsRoute,
    testRoute,
    suggestionsRoute,
    generatedTestRoute,
    coverageRoute,
    codeRoute,
    strengthRoute,
    measurementRoute,
    verificationsRoute,
    verificationRoute,
    changesRoute,
    changeRoute,
    gatesRoute,
    gateRoute,
    selectionRoute,
    activityRoute,
    webhooksRoute,
    webhookRoute,
    projectSettingsRoute,
  ]),
])

export const router = createRouter({
  routeTree,
  context: { queryClient },
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  // The query client decides what is fresh.
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: PageFailed,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
