import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { whenReachable } from '../../when-reachable.ts'

export const verificationRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'verifications/$verificationId',
  loader: ({ context, params: { verificationId } }) => {
    void context.queryClient.prefetchQuery(trpc.tests.getVerification.queryOptions({ verificationId }))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'VerificationPage',
  ),
})
