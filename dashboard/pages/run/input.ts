import type { Inputs } from '../../api.ts'
import { flagParam, type Given, numberParam, oneOfParam, textParam } from '../../search-params.ts'

export const tabNames = ['failures', 'results', 'log', 'artifacts', 'plan', 'coverage'] as const
export type TabName = (typeof tabNames)[number]

export const resultStatuses = ['failed', 'passed', 'skipped'] as const
export const resultSorts = ['status', 'duration', 'name'] as const

export interface RunSearch {
  /** Without it, the tab that answers why the run is red. */
  tab?: TabName | undefined
  status?: (typeof resultStatuses)[number] | undefined
  flaky?: true | undefined
  /** A part of the name or file of a test. */
  q?: string | undefined
  sort?: (typeof resultSorts)[number] | undefined
  /** The id of the test whose result is open. */
  test?: string | undefined
  /** A line of the log, from 1. */
  line?: number | undefined
  /** Text to find in the log. */
  find?: string | undefined
}

export function readSearch(given: Given): RunSearch {
  return {
    tab: oneOfParam(given['tab'], tabNames),
    status: oneOfParam(given['status'], resultStatuses),
    flaky: flagParam(given['flaky']),
    q: textParam(given['q'])?.slice(0, 200),
    sort: oneOfParam(given['sort'], resultSorts),
    test: textParam(given['test'])?.slice(0, 36),
    line: numberParam(given['line']) || undefined,
    find: textParam(given['find'])?.slice(0, 200),
  }
}

export function resultsInput(runId: string, { status, flaky, q, sort }: RunSearch): Inputs['testRuns']['results'] {
  return { runId, status, flaky, search: q, sort }
}
