import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { rootRoute } from '../../root-route.tsx'
import { overviewInput, readSearch } from './input.ts'
import { whenReachable } from '../../when-reachable.ts'

export const projectsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => {
    void context.queryClient.prefetchQuery(trpc.projects.overview.queryOptions(overviewInput(deps)))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'ProjectsPage',
  ),
})
