import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'

export const changesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'changes',
  component: lazyRouteComponent(() => import('./page.tsx'), 'ChangesPage'),
})
