import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { flagParam, type Given, numberParam, oneOfParam } from '../../search-params.ts'
import { statuses, type StrengthSearch, toMeasurementsQuery } from './query.ts'
import { whenReachable } from '../../when-reachable.ts'

export const strengthRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'strength',
  validateSearch: (search: Given): StrengthSearch => ({
    status: oneOfParam(search['status'], statuses),
    offset: numberParam(search['offset']),
    measure: flagParam(search['measure']),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => {
    const input = toMeasurementsQuery(params.projectId, deps)
    void context.queryClient.prefetchQuery(trpc.strength.list.queryOptions(input))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'StrengthPage',
  ),
})
