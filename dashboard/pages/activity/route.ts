import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'
import { readSearch } from './input.ts'
import { whenReachable } from '../../when-reachable.ts'

export const activityRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'activity',
  validateSearch: readSearch,
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'ActivityPage',
  ),
})
