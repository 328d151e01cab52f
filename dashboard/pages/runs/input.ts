import type { Inputs } from '../../api.ts'
import { type Given, numberParam, oneOfParam, textParam } from '../../search-params.ts'
import { type CiName, ciNames } from './ci-names.ts'
import { type Run, sourceNames } from './words.ts'

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
  source?: Run['source'] | undefined
  /** A commit id or its beginning. */
  commit?: string | undefined
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
    source: oneOfParam(given['source'], sourceNames),
    commit: textParam(given['commit'])?.slice(0, 64),
    offset: numberParam(given['offset']),
    ci: oneOfParam(given['ci'], ciNames),
  }
}

/** Shorter beginnings of commit ids, and other text, do not filter. */
export const isCommit = (text: string) => /^[0-9a-fA-F]{7,64}$/.test(text)

export function listInput(projectId: string, search: RunsSearch): Inputs['testRuns']['list'] {
  const { branch, status, source, commit, offset = 0 } = search
  const commitSha = commit !== undefined && isCommit(commit) ? commit.toLowerCase() : undefined
  return { projectId, branch, status, source, commitSha, limit: pageSize, offset }
}

export const isFiltered = ({ branch, status, source, commit }: RunsSearch) =>
  [branch, status, source, commit].some((filter) => filter !== undefined)
