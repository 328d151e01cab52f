import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { type Given, numberParam, oneOfParam, textParam } from '../../search-params.ts'
import { whenReachable } from '../../when-reachable.ts'
import { gateStates, type GatesSearch, readPullRequest, toGatesQuery } from './query.ts'

export const gatesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'gates',
  validateSearch: (search: Given): GatesSearch => ({
    state: oneOfParam(search['state'], gateStates),
    branch: textParam(search['branch'])?.trim().slice(0, 255) || undefined,
    pullRequest: readPullRequest(search['pullRequest']),
    offset: numberParam(search['offset']),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => {
    const input = toGatesQuery(params.projectId, deps)
    void context.queryClient.prefetchQuery(trpc.gate.list.queryOptions(input))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'GatesPage',
  ),
})
