import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'

export const verificationRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'verifications/$verificationId',
  component: lazyRouteComponent(() => import('./page.tsx'), 'VerificationPage'),
})
