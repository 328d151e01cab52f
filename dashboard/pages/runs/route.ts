import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { listInput, readSearch } from './input.ts'
import { whenReachable } from '../../when-reachable.ts'

export const runsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'runs',
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => {
    void context.queryClient.prefetchQuery(trpc.testRuns.list.queryOptions(listInput(params.projectId, deps)))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'RunsPage',
  ),
})
