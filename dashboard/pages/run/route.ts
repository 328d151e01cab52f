import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'

export const runRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'runs/$runId',
  component: lazyRouteComponent(() => import('./page.tsx'), 'RunPage'),
})
