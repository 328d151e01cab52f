import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { whenReachable } from '../../when-reachable.ts'
import { readSearch, testsInput } from './input.ts'

export const testsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'tests',
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => {
    void context.queryClient.prefetchQuery(trpc.tests.list.queryOptions(testsInput(params.projectId, deps)))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'TestsPage',
  ),
})
