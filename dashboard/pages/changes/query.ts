import type { Inputs } from '../../api.ts'

export const verdicts = ['proved', 'unproved', 'broken', 'not_built', 'flaky', 'no_code_changed'] as const
export const statuses = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const
export const pageSize = 50

export interface ChangesSearch {
  verdict?: (typeof verdicts)[number] | undefined
  status?: (typeof statuses)[number] | undefined
  offset?: number | undefined
}

export function toChangesQuery(
  projectId: string,
  { verdict, status, offset = 0 }: ChangesSearch,
): Inputs['changes']['list'] {
  return { projectId, limit: pageSize, offset, ...(verdict ? { verdict } : {}), ...(status ? { status } : {}) }
}
