import type { Outputs } from '../api.ts'
import { headOf } from './change-name.ts'
import { Status } from './status.tsx'

type Gate = Outputs['gate']['get']
type Rule = Gate['reasons'][number]['rule']

export const stateTexts: Record<Gate['state'], string> = {
  pending: 'Waiting',
  success: 'Success',
  failure: 'Failure',
  error: 'Error',
  neutral: 'Neutral',
}

export const gateModeTexts: Record<Gate['mode'], string> = {
  off: 'Off',
  informational: 'Informational',
  enforced: 'Enforced',
}

export const ruleTexts: Record<Rule, string> = {
  runs: 'Test runs',
  uploads: 'Expected uploads',
  new_failures: 'No new failures',
  new_flaky: 'No new flaky tests',
  patch: 'Coverage of changed lines',
  uncovered_lines: 'Uncovered lines',
  component: 'Component',
  unmeasured: 'Measured code',
  proof: 'Proof',
  mutants: 'Small changes noticed',
  project: 'Coverage of the project',
}

export const GateStatus = ({ of }: { of: Gate['state'] }) => <Status of={of} text={stateTexts[of]} />

interface NamedGate extends Pick<Gate, 'pullRequest' | 'branch' | 'headSha'> {
  snapshotId?: Gate['snapshotId']
}

/** What the gate judges, in a word: a pull request, a branch, a commit or a working tree. */
export const gateName = ({ pullRequest, branch, headSha, snapshotId = null }: NamedGate): string =>
  pullRequest === null || snapshotId !== null
    ? headOf({ snapshotId, head: branch, headSha })
    : `#${pullRequest}${branch === null ? '' : ` ${branch}`}`

/** `79.9 %`: with one decimal and rounded down, as in the reasons, so that a missed goal never reads as reached. */
export const flooredPercent = (percent: number): string => `${Math.floor(percent * 10 + 1e-9) / 10} %`
