import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'
import { readSearch } from './input.ts'

export const activityRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'activity',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('./page.tsx'), 'ActivityPage'),
})
