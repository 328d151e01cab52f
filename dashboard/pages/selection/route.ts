import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { type Given, numberParam } from '../../search-params.ts'
import { whenReachable } from '../../when-reachable.ts'
import { type SelectionSearch, toShadowsQuery } from './query.ts'

export const selectionRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'selection',
  validateSearch: (search: Given): SelectionSearch => ({
    red: search['red'] === true || search['red'] === 'true' ? true : undefined,
    offset: numberParam(search['offset']),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, params: { projectId }, deps }) => {
    void context.queryClient.prefetchQuery(trpc.selection.get.queryOptions({ projectId }))
    void context.queryClient.prefetchQuery(trpc.selection.list.queryOptions(toShadowsQuery(projectId, deps)))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'SelectionPage',
  ),
})
