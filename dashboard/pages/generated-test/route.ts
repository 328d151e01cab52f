import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'
import { whenReachable } from '../../when-reachable.ts'

export const generatedTestRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'generated-tests/$generatedTestId',
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'GeneratedTestPage',
  ),
})
