import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { deliverySearch } from './search.ts'
import { whenReachable } from '../../when-reachable.ts'

export const webhookRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'webhooks/$webhookId',
  validateSearch: deliverySearch,
  loader: ({ context: { queryClient }, params: { webhookId } }) => {
    void queryClient.prefetchQuery(trpc.webhooks.get.queryOptions({ webhookId }))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'WebhookPage',
  ),
})
