import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../../root-route.tsx'
import { type Given, numberParam, textParam } from '../../search-params.ts'

/** A file of a commit or snapshot; without both, of the run, or of the latest one with coverage. */
export interface CodeSearch {
  path?: string | undefined
  commit?: string | undefined
  snapshot?: string | undefined
  /** The run whose coverage is shown. */
  run?: string | undefined
  line?: number | undefined
}

export const codeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'code',
  validateSearch: (search: Given): CodeSearch => ({
    path: textParam(search['path']),
    commit: textParam(search['commit']),
    snapshot: textParam(search['snapshot']),
    run: textParam(search['run']),
    line: numberParam(search['line']),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'CodePage'),
})
