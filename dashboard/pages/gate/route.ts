import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { type Given, numberParam } from '../../search-params.ts'
import { whenReachable } from '../../when-reachable.ts'

interface GateSearch {
  /** The first file that is shown. */
  offset?: number | undefined
}

export const gateRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'gates/$gateId',
  validateSearch: ({ offset }: Given): GateSearch => ({ offset: numberParam(offset) }),
  loader: ({ context, params: { gateId } }) => {
    void context.queryClient.prefetchQuery(trpc.gate.get.queryOptions({ gateId }))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'GatePage',
  ),
})
