import type { Inputs } from '../../api.ts'
import { type Given, numberParam, textParam } from '../../search-params.ts'

export const pageSize = 100

export interface TestSearch {
  branch?: string | undefined
  offset?: number | undefined
}

export function readSearch(given: Given): TestSearch {
  return { branch: textParam(given['branch'])?.slice(0, 255), offset: numberParam(given['offset']) }
}

export function historyInput(
  { projectId, testId }: { projectId: string; testId: string },
  { branch, offset = 0 }: TestSearch,
): Inputs['testRuns']['history'] {
  return { projectId, testId, branch, limit: pageSize, offset }
}
