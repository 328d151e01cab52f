import { createRoute, redirect } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { rootRoute } from '../../root-route.tsx'
import { overviewInput, readSearch } from './input.ts'
import { ProjectsPage } from './page.tsx'

export const projectsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => {
    void context.queryClient.prefetchQuery(trpc.projects.overview.queryOptions(overviewInput(deps)))
  },
  // Not loaded on demand: it is where most visits start, and other pages need most of its code too.
  component: ProjectsPage,
})

/** An address that people guess. */
export const guessedProjectsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/projects',
  beforeLoad: () => {
    throw redirect({ to: '/', replace: true })
  },
})
