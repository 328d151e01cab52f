import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { flagParam, type Given } from '../../search-params.ts'
import { whenReachable } from '../../when-reachable.ts'

interface WebhooksSearch {
  /** The form for a new webhook is open. */
  create?: true | undefined
}

export const webhooksRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'webhooks',
  validateSearch: ({ create }: Given): WebhooksSearch => ({ create: flagParam(create) }),
  loader: ({ context: { queryClient }, params: { projectId } }) => {
    void queryClient.prefetchQuery(trpc.webhooks.list.queryOptions({ projectId }))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'WebhooksPage',
  ),
})
