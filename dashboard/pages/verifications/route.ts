import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { numberParam, oneOfParam, textParam, type Given } from '../../search-params.ts'
import { statuses, toVerificationQuery, type VerificationsSearch, verdicts } from './query.ts'
import { whenReachable } from '../../when-reachable.ts'

export const verificationsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'verifications',
  validateSearch: (search: Given): VerificationsSearch => ({
    verdict: oneOfParam(search['verdict'], verdicts),
    status: oneOfParam(search['status'], statuses),
    file: textParam(search['file']),
    offset: numberParam(search['offset']),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => {
    const input = toVerificationQuery(params.projectId, deps)
    void context.queryClient.prefetchQuery(trpc.tests.listVerifications.queryOptions(input))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'VerificationsPage',
  ),
})
