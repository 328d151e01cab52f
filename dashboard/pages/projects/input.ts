import type { Inputs } from '../../api.ts'
import { type Given, numberParam, oneOfParam, textParam } from '../../search-params.ts'

interface Search {
  search?: string | undefined
  organization?: string | undefined
  sort?: 'name' | 'latest' | undefined
  offset?: number | undefined
}

export const readSearch = (given: Given): Search => ({
  search: textParam(given['search']),
  organization: textParam(given['organization']),
  sort: oneOfParam(given['sort'], ['name', 'latest']),
  offset: numberParam(given['offset']),
})

export const pageSize = 50

/** The input for the page of projects that the address names. */
export const overviewInput = ({ search, organization, sort, offset }: Search): Inputs['projects']['overview'] => ({
  search,
  organizationId: organization,
  sort: sort ?? 'attention',
  limit: pageSize,
  offset: offset ?? 0,
})
