import type { Inputs } from '../../api.ts'
import { type Given, numberParam, oneOfParam, textParam } from '../../search-params.ts'
import { type CiName, ciNames } from './ci-names.ts'

/** The statuses that the list can be filtered by, with their text. */
export const statuses = [
  ['FAILED', 'Failed'],
  ['ERROR', 'Error'],
  ['PASSED', 'Passed'],
  ['RUNNING', 'Running'],
  ['PENDING', 'Queued'],
  ['CANCELLED', 'Cancelled'],
] as const

export const pageSize = 50

export interface RunsSearch {
  branch?: string | undefined
  status?: (typeof statuses)[number][0] | undefined
  offset?: number | undefined
  ci?: CiName | undefined
}

export function readSearch(given: Given): RunsSearch {
  return {
    branch: textParam(given['branch'])?.slice(0, 255),
    status: oneOfParam(
      given['status'],
      statuses.map(([status]) => status),
    ),
    offset: numberParam(given['offset']),
    ci: oneOfParam(given['ci'], ciNames),
  }
}

export function listInput(projectId: string, { branch, status, offset = 0 }: RunsSearch): Inputs['testRuns']['list'] {
  return { projectId, branch, status, limit: pageSize, offset }
}
