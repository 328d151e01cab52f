import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'

export const measurementRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'strength/$measurementId',
  component: lazyRouteComponent(() => import('./page.tsx'), 'MeasurementPage'),
})
