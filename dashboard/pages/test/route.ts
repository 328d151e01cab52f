import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'

export const testRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'tests/$testId',
  component: lazyRouteComponent(() => import('./page.tsx'), 'TestPage'),
})
