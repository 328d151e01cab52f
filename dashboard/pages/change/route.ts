import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'

export const changeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'changes/$changeId',
  loader: ({ context, params: { changeId } }) => {
    void context.queryClient.prefetchQuery(trpc.changes.get.queryOptions({ changeId }))
  },
  component: lazyRouteComponent(() => import('./page.tsx'), 'ChangePage'),
})
