import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { type Given, textParam } from '../../search-params.ts'
import { whenReachable } from '../../when-reachable.ts'

export const measurementRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'strength/$measurementId',
  validateSearch: (search: Given): { path?: string | undefined } => ({ path: textParam(search['path']) }),
  loader: ({ context, params: { measurementId } }) => {
    void context.queryClient.prefetchQuery(trpc.strength.get.queryOptions({ measurementId }))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'MeasurementPage',
  ),
})
