import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'

export const webhookRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'webhooks/$webhookId',
  component: lazyRouteComponent(() => import('./page.tsx'), 'WebhookPage'),
})
