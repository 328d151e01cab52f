import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { rootRoute } from '../../root-route.tsx'
import { whenReachable } from '../../when-reachable.ts'

export const systemRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/system',
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(trpc.system.status.queryOptions())
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'SystemPage',
  ),
})
