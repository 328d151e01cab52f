import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'

export const verificationsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'verifications',
  component: lazyRouteComponent(() => import('./page.tsx'), 'VerificationsPage'),
})
