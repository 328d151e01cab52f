import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { type Given, numberParam, oneOfParam } from '../../search-params.ts'
import { type ChangesSearch, statuses, toChangesQuery, verdicts } from './query.ts'
import { whenReachable } from '../../when-reachable.ts'

export const changesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'changes',
  validateSearch: (search: Given): ChangesSearch => ({
    verdict: oneOfParam(search['verdict'], verdicts),
    status: oneOfParam(search['status'], statuses),
    offset: numberParam(search['offset']),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => {
    const input = toChangesQuery(params.projectId, deps)
    void context.queryClient.prefetchQuery(trpc.changes.list.queryOptions(input))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'ChangesPage',
  ),
})
