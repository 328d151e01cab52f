import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { rootRoute } from '../../root-route.tsx'
import { flagParam, type Given, oneOfParam, textParam } from '../../search-params.ts'
import { whenReachable } from '../../when-reachable.ts'

interface TokensSearch {
  /** Expired and revoked tokens are shown too. */
  all?: true | undefined
  /** The form for a new token is open, with the scopes of this preset. */
  create?: 'agent' | 'ci' | 'read' | 'custom' | undefined
  /** The project to which the new token is restricted. */
  project?: string | undefined
  organization?: string | undefined
}

export const tokensRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings/tokens',
  validateSearch: ({ all, create, project, organization }: Given): TokensSearch => ({
    all: flagParam(all),
    create: oneOfParam(create, ['agent', 'ci', 'read', 'custom']),
    project: textParam(project),
    organization: textParam(organization),
  }),
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(trpc.tokens.list.queryOptions())
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'TokensPage',
  ),
})
