import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'

export const strengthRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'strength',
  component: lazyRouteComponent(() => import('./page.tsx'), 'StrengthPage'),
})
