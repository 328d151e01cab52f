import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'

export const codeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'code',
  component: lazyRouteComponent(() => import('./page.tsx'), 'CodePage'),
})
