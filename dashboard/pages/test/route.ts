import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { whenReachable } from '../../when-reachable.ts'
import { historyInput, readSearch, testInput } from './input.ts'

export const testRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'tests/$testId',
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, params, deps }) => {
    void queryClient.prefetchQuery(trpc.tests.get.queryOptions(testInput(params, deps)))
    void queryClient.prefetchQuery(trpc.testRuns.history.queryOptions(historyInput(params, deps)))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'TestPage',
  ),
})
