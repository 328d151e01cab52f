import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { rootRoute } from '../../root-route.tsx'
import { flagParam, type Given, oneOfParam, textParam } from '../../search-params.ts'
import { type DeliverySearch, deliverySearch } from '../webhook/search.ts'
import { type OrganizationTab, organizationTabs } from './tabs.ts'
import { whenReachable } from '../../when-reachable.ts'

interface OrganizationSearch extends DeliverySearch {
  tab?: OrganizationTab | undefined
  /** The form for an invitation or a webhook is open. */
  create?: true | undefined
  /** The selected webhook; the filters are those of its deliveries. */
  webhook?: string | undefined
}

export const organizationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/organizations/$slug',
  validateSearch: (given: Given): OrganizationSearch => ({
    tab: oneOfParam(given['tab'], organizationTabs),
    create: flagParam(given['create']),
    webhook: textParam(given['webhook']),
    ...deliverySearch(given),
  }),
  loader: ({ context: { queryClient }, params: { slug } }) => {
    void queryClient.prefetchQuery(trpc.organizations.getBySlug.queryOptions({ slug }))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'OrganizationPage',
  ),
})
