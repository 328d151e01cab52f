import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { rootRoute } from '../../root-route.tsx'

export const systemRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/system',
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(trpc.system.status.queryOptions())
  },
  component: lazyRouteComponent(() => import('./page.tsx'), 'SystemPage'),
})
