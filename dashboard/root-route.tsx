import { createRootRouteWithContext, createRoute } from '@tanstack/react-router'
import type { QueryClient } from '@tanstack/react-query'
import { trpc } from './api.ts'
import { Missing } from './shell/missing.tsx'
import { Shell } from './shell/shell.tsx'
import { ProjectFrame } from './shell/project-frame.tsx'

export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Shell,
  notFoundComponent: Missing,
})

/** The parent of every page of a project: its navigation, and its record for all of them. */
export const projectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/projects/$projectId',
  component: ProjectFrame,
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(trpc.projects.getProject.queryOptions(params))
  },
})
