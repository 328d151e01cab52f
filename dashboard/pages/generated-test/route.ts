import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'

export const generatedTestRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'generated-tests/$generatedTestId',
  component: lazyRouteComponent(() => import('./page.tsx'), 'GeneratedTestPage'),
})
