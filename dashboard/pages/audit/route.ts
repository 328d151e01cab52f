import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../root-route.tsx'
import { type Given, textParam } from '../../search-params.ts'
import type { AuditSearch } from './search.ts'
import { whenReachable } from '../../when-reachable.ts'

export const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings/audit',
  validateSearch: ({ action, organization, user, since, until, before }: Given): AuditSearch => ({
    action: textParam(action),
    organization: textParam(organization),
    user: textParam(user),
    since: textParam(since),
    until: textParam(until),
    before: textParam(before),
  }),
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'AuditPage',
  ),
})
