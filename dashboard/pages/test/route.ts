import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { historyInput, readSearch } from './input.ts'
import { whenReachable } from '../../when-reachable.ts'

export const testRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'tests/$testId',
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => {
    void context.queryClient.prefetchQuery(trpc.testRuns.history.queryOptions(historyInput(params, deps)))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'TestPage',
  ),
})
