import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { rootRoute } from '../../root-route.tsx'
import { flagParam, type Given } from '../../search-params.ts'
import { whenReachable } from '../../when-reachable.ts'

interface OrganizationsSearch {
  /** The form for a new organization is open. */
  create?: true | undefined
}

export const organizationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/organizations',
  validateSearch: ({ create }: Given): OrganizationsSearch => ({ create: flagParam(create) }),
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(trpc.organizations.list.queryOptions())
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'OrganizationsPage',
  ),
})
