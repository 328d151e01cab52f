import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { type Given, numberParam, textParam } from '../../search-params.ts'
import { type CodeSearch, fileInput } from './query.ts'
import { whenReachable } from '../../when-reachable.ts'

export const codeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'code',
  validateSearch: (search: Given): CodeSearch => ({
    path: textParam(search['path']),
    commit: textParam(search['commit']),
    snapshot: textParam(search['snapshot']),
    run: textParam(search['run']),
    line: numberParam(search['line']),
    folder: textParam(search['folder']),
    find: textParam(search['find']),
  }),
  loaderDeps: ({ search: { path, commit, snapshot, run } }) => ({ path, commit, snapshot, run }),
  loader: ({ context, params, deps }) => {
    const input = fileInput(params.projectId, deps)
    if (input) void context.queryClient.prefetchQuery(trpc.code.getFile.queryOptions(input, { staleTime: 60_000 }))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'CodePage',
  ),
})
