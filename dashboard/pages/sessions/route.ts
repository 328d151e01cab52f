import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { rootRoute } from '../../root-route.tsx'
import { whenReachable } from '../../when-reachable.ts'

export const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings/sessions',
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(trpc.auth.listSessions.queryOptions())
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'SessionsPage',
  ),
})
