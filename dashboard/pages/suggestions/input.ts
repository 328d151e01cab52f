import { type Given, numberParam, oneOfParam, textParam } from '../../search-params.ts'

export const statuses = ['open', 'accepted', 'dismissed', 'outdated'] as const

export interface Search {
  /** The ranked code without it. */
  tab?: 'suggestions' | 'generated' | undefined
  search?: string | undefined
  coverage?: 'none' | 'partial' | undefined
  status?: (typeof statuses)[number] | undefined
  offset?: number | undefined
  /** The candidate, suggestion or generated test that is open. */
  open?: string | undefined
}

export const readSearch = (given: Given): Search => ({
  tab: oneOfParam(given['tab'], ['suggestions', 'generated']),
  search: textParam(given['search']),
  coverage: oneOfParam(given['coverage'], ['none', 'partial']),
  status: oneOfParam(given['status'], statuses),
  offset: numberParam(given['offset']),
  open: textParam(given['open']),
})

export const pageSize = 25

export const candidatesInput = (projectId: string, { search, coverage, offset }: Search) => ({
  projectId,
  search,
  coverage,
  limit: pageSize,
  offset: offset ?? 0,
})
