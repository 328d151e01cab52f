import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'

export const coverageRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'coverage',
  component: lazyRouteComponent(() => import('./page.tsx'), 'CoveragePage'),
})
