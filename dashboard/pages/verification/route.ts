import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'

export const verificationRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'verifications/$verificationId',
  loader: ({ context, params: { verificationId } }) => {
    void context.queryClient.prefetchQuery(trpc.tests.getVerification.queryOptions({ verificationId }))
  },
  component: lazyRouteComponent(() => import('./page.tsx'), 'VerificationPage'),
})
