import type { Inputs } from '../../api.ts'
import { healths } from '../../parts/test-names.ts'
import { type Given, numberParam, oneOfParam, textParam } from '../../search-params.ts'

export const pageSize = 50

export const tabs = ['trouble', 'quarantine', 'slowest'] as const
export const sorts = ['rate', 'recent', 'slowest', 'name'] as const
export const quarantines = ['active', 'requested', 'none'] as const
/** Quarantines that have ended, by how. */
export const endedStatuses = ['released', 'rejected', 'expired'] as const

export interface TestsSearch {
  /** All tests without it. */
  tab?: (typeof tabs)[number] | undefined
  health?: (typeof healths)[number] | undefined
  quarantine?: (typeof quarantines)[number] | undefined
  owner?: string | undefined
  search?: string | undefined
  /** Those with the most impact come first without it. */
  sort?: (typeof sorts)[number] | undefined
  /** Of the tab `quarantine`: shows those that have ended. */
  status?: (typeof endedStatuses)[number] | undefined
  offset?: number | undefined
  /** The first request that is shown. */
  requests?: number | undefined
}

export const readSearch = (given: Given): TestsSearch => ({
  tab: oneOfParam(given['tab'], tabs),
  health: oneOfParam(given['health'], healths),
  quarantine: oneOfParam(given['quarantine'], quarantines),
  owner: textParam(given['owner'])?.slice(0, 200),
  search: textParam(given['search'])?.slice(0, 200),
  sort: oneOfParam(given['sort'], sorts),
  status: oneOfParam(given['status'], endedStatuses),
  offset: numberParam(given['offset']),
  requests: numberParam(given['requests']),
})

export function testsInput(projectId: string, search: TestsSearch): Inputs['tests']['list'] {
  const { tab, health, quarantine, owner, search: text, offset = 0 } = search
  const sort = tab === 'slowest' ? ('slowest' as const) : search.sort
  // Of the tab with the counts only.
  if (tab === 'quarantine') return { projectId, limit: 1 }
  return {
    projectId,
    quarantine,
    owner,
    search: text,
    sort,
    limit: pageSize,
    offset,
    ...(health ? { health: [health] } : tab === 'trouble' ? { health: ['broken', 'flaky'] } : {}),
  }
}

export const isFiltered = ({ health, quarantine, owner, search }: TestsSearch) =>
  [health, quarantine, owner, search].some((filter) => filter !== undefined)
