import type { Inputs } from '../../api.ts'

export const verdicts = ['accepted', 'no_gain', 'flaky', 'not_built', 'suspected_bug'] as const
export const statuses = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const
export const pageSize = 50

export interface VerificationsSearch {
  verdict?: (typeof verdicts)[number] | undefined
  status?: (typeof statuses)[number] | undefined
  file?: string | undefined
  offset?: number | undefined
}

export function toVerificationQuery(
  projectId: string,
  { verdict, status, file, offset = 0 }: VerificationsSearch,
): Inputs['tests']['listVerifications'] {
  return {
    projectId,
    limit: pageSize,
    offset,
    ...(verdict ? { verdict } : {}),
    ...(status ? { status } : {}),
    ...(file ? { filePath: file } : {}),
  }
}
