import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { type Given, oneOfParam, textParam } from '../../search-params.ts'
import { type CoverageSearch, recentRuns, sorts } from './query.ts'
import { whenReachable } from '../../when-reachable.ts'

export const coverageRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'coverage',
  validateSearch: (search: Given): CoverageSearch => ({
    run: textParam(search['run']),
    folder: textParam(search['folder']),
    view: oneOfParam(search['view'], ['files']),
    sort: oneOfParam(search['sort'], sorts),
  }),
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(trpc.testRuns.list.queryOptions(recentRuns(params.projectId)))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'CoveragePage',
  ),
})
