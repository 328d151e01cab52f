import type { Inputs } from '../../api.ts'

export const pageSize = 50

export interface SelectionSearch {
  /** Only runs in which a change broke tests. */
  red?: true | undefined
  offset?: number | undefined
}

export const toShadowsQuery = (
  projectId: string,
  { red, offset = 0 }: SelectionSearch,
): Inputs['selection']['list'] => ({ projectId, limit: pageSize, offset, ...(red && { red }) })
