import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { projectRoute } from '../../root-route.tsx'
import { type Given, numberParam, oneOfParam } from '../../search-params.ts'
import { type SettingsTab, settingsTabs } from './tabs.ts'
import { whenReachable } from '../../when-reachable.ts'

interface SettingsSearch {
  tab?: SettingsTab | undefined
  /** The first delivery of the code host that is shown. */
  offset?: number | undefined
}

export const projectSettingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'settings',
  validateSearch: ({ tab, offset }: Given): SettingsSearch => ({
    tab: oneOfParam(tab, settingsTabs),
    offset: numberParam(offset),
  }),
  loader: ({ context: { queryClient }, params: { projectId } }) => {
    void queryClient.prefetchQuery(trpc.projects.getProjectSettings.queryOptions({ projectId }))
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./page.tsx')),
    'ProjectSettingsPage',
  ),
})
