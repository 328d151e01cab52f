import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../root-route.tsx'

export const organizationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/organizations/$slug',
  component: lazyRouteComponent(() => import('./page.tsx'), 'OrganizationPage'),
})
