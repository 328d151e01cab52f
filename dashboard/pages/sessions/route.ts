import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { rootRoute } from '../../root-route.tsx'

export const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings/sessions',
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(trpc.auth.listSessions.queryOptions())
  },
  component: lazyRouteComponent(() => import('./page.tsx'), 'SessionsPage'),
})
