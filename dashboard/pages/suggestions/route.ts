import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { candidatesInput, readSearch } from './input.ts'
import { whenReachable } from '../../when-reachable.ts'

export const suggestionsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'suggestions',
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => {
    if (deps.tab) return
    void context.queryClient.prefetchQuery(
      trpc.analysis.listCandidates.queryOptions(candidatesInput(params.projectId, deps)),
    )
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'SuggestionsPage',
  ),
})
