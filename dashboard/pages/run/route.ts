import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { readSearch } from './input.ts'
import { whenReachable } from '../../when-reachable.ts'

export const runRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'runs/$runId',
  validateSearch: readSearch,
  loader: ({ context, params: { runId } }) => {
    void context.queryClient.prefetchQuery(trpc.testRuns.get.queryOptions({ runId }))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'RunPage',
  ),
})
