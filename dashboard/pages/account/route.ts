import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { rootRoute } from '../../root-route.tsx'
import { type Given, textParam } from '../../search-params.ts'
import { whenReachable } from '../../when-reachable.ts'

interface AccountSearch {
  /** What was done on a page that led here. */
  done?: string | undefined
  /** Why it was not done. */
  error?: string | undefined
}

export const accountRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  validateSearch: ({ done, error }: Given): AccountSearch => ({ done: textParam(done), error: textParam(error) }),
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(trpc.auth.getProfile.queryOptions())
    void queryClient.prefetchQuery(trpc.github.getLink.queryOptions())
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'AccountPage',
  ),
})
