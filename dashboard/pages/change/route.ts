import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { whenReachable } from '../../when-reachable.ts'

export const changeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'changes/$changeId',
  loader: ({ context, params: { changeId } }) => {
    void context.queryClient.prefetchQuery(trpc.changes.get.queryOptions({ changeId }))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'ChangePage',
  ),
})
