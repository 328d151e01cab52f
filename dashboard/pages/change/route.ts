import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'

export const changeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'changes/$changeId',
  component: lazyRouteComponent(() => import('./page.tsx'), 'ChangePage'),
})
