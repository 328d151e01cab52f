import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'

export const activityRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'activity',
  component: lazyRouteComponent(() => import('./page.tsx'), 'ActivityPage'),
})
