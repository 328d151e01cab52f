import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'

export const runsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'runs',
  component: lazyRouteComponent(() => import('./page.tsx'), 'RunsPage'),
})
