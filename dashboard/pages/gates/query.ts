import type { Inputs } from '../../api.ts'

/** The states that a gate can have. `neutral` is only a conclusion. */
export const gateStates = ['pending', 'success', 'failure', 'error'] as const
export const pageSize = 50
/** The largest number that the database can store. */
export const maxPullRequest = 2 ** 31 - 1

export interface GatesSearch {
  state?: (typeof gateStates)[number] | undefined
  branch?: string | undefined
  pullRequest?: number | undefined
  offset?: number | undefined
}

export function toGatesQuery(
  projectId: string,
  { state, branch, pullRequest, offset = 0 }: GatesSearch,
): Inputs['gate']['list'] {
  return {
    projectId,
    limit: pageSize,
    offset,
    ...(state ? { state } : {}),
    ...(branch === undefined ? {} : { branch }),
    ...(pullRequest === undefined ? {} : { pullRequest }),
  }
}

/** Reads the number of a pull request, also from a text such as `#42`. */
export function readPullRequest(given: unknown): number | undefined {
  const number = typeof given === 'string' ? Number(given.trim().replace(/^#/, '')) : given
  return typeof number === 'number' && Number.isInteger(number) && number > 0 && number <= maxPullRequest
    ? number
    : undefined
}
