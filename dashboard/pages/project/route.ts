import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { readSearch, trendsInput } from './input.ts'
import { whenReachable } from '../../when-reachable.ts'

export const projectOverviewRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/',
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => {
    void context.queryClient.prefetchQuery(trpc.projects.trends.queryOptions(trendsInput(params.projectId, deps)))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'ProjectPage',
  ),
})
