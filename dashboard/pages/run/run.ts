import type { RunNews as News } from '../../../core/test-runs/schema.ts'
import type { Outputs } from '../../api.ts'

export type RunDetail = Outputs['testRuns']['get']
export type RunNews = News
export type Digest = Outputs['testRuns']['failures']
export type Result = Outputs['testRuns']['results']['results'][number]

export const phases: Record<NonNullable<RunDetail['progress']>['phase'], string> = {
  fetching: 'Fetching the commit',
  planning: 'Planning the commands',
  installing: 'Installing dependencies',
  testing: 'Running the tests',
  reading: 'Reading the reports',
  storing: 'Storing the results',
}
