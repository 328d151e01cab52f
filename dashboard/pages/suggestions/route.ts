import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'

export const suggestionsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'suggestions',
  component: lazyRouteComponent(() => import('./page.tsx'), 'SuggestionsPage'),
})
