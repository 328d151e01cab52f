import type { Inputs } from '../../api.ts'

export const statuses = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const
export const pageSize = 50

export interface StrengthSearch {
  status?: (typeof statuses)[number] | undefined
  offset?: number | undefined
  /** Opens the dialog that starts a measurement. */
  measure?: true | undefined
}

export function toMeasurementsQuery(
  projectId: string,
  { status, offset = 0 }: StrengthSearch,
): Inputs['strength']['list'] {
  return { projectId, limit: pageSize, offset, ...(status ? { status } : {}) }
}
