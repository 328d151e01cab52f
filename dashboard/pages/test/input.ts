import type { Inputs } from '../../api.ts'
import { variantOf } from '../../parts/test-names.ts'
import { type Given, numberParam, textParam } from '../../search-params.ts'

export const pageSize = 100

export interface TestSearch {
  /** The variant with the worst health without it. */
  variant?: string | undefined
  branch?: string | undefined
  offset?: number | undefined
}

interface Params {
  projectId: string
  testId: string
}

export function readSearch(given: Given): TestSearch {
  return {
    variant: textParam(given['variant'])?.slice(0, 120),
    branch: textParam(given['branch'])?.slice(0, 255),
    offset: numberParam(given['offset']),
  }
}

export const testInput = (params: Params, { variant }: TestSearch): Inputs['tests']['get'] => ({
  ...params,
  variant: variantOf(variant),
})

export const historyInput = (
  { projectId, testId }: Params,
  { branch, offset = 0 }: TestSearch,
): Inputs['testRuns']['history'] => ({ projectId, testId, branch, limit: pageSize, offset })
