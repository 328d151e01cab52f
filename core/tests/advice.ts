import { counted } from '../../engines/verdicts/worth.ts'
import type { TestRow } from './present.ts'
import type { Health, TestSummary } from './schema.ts'

type Facts = Pick<TestSummary, 'health' | 'quarantine' | 'lastFailure'>
type Judged = Pick<TestRow, 'missing' | 'unsettled'>

/** Says what to do about a test. */
export const adviseOn = (facts: Facts, judged: Judged): string => advice[facts.health](facts, judged)

const failsNow = 'The test failed in the latest run of the default branch that contains it.'

const advice: Readonly<Record<Health, (facts: Facts, judged: Judged) => string>> = {
  broken: (facts) =>
    `Fix the code or the test: the failure is not random. Begin with the commit where it started.${mutedUntil(facts)}`,
  flaky: (facts, { missing }) => {
    const wait = facts.quarantine ? mutedUntil(facts) : ' If it blocks others meanwhile, request a quarantine.'
    return `Do not retry until it passes. Find the cause (time, order, network, shared state, randomness), fix it, and confirm the fix.${wait}${withoutFix(missing)}`
  },
  new: ({ lastFailure }) =>
    lastFailure
      ? 'The test has too few results to tell a flaky test from a bug. Treat its failure as real.'
      : 'The test has too few results to judge it.',
  stale: () => 'No recent run contains the test. If it was deleted or renamed, there is nothing to do.',
  healthy: ({ quarantine }, { unsettled }) => {
    if (quarantine?.status === 'active') {
      return unsettled
        ? `${failsNow} Find out why before you release its quarantine.`
        : 'The test is healthy. Release its quarantine.'
    }
    return unsettled
      ? `${failsNow} It is not known as flaky, so the change there is the first suspect.`
      : 'Trust its result: if it fails now, the change is the first suspect.'
  },
}

function mutedUntil({ quarantine }: Facts): string {
  if (quarantine?.status !== 'active') return ''
  return ` It is ${quarantine.mode} until ${quarantine.expiresAt?.slice(0, 10)}; fix it before.`
}

function withoutFix(missing: Judged['missing']): string {
  if (!missing) return ''
  const days = Math.ceil(missing.days)
  const parts = [
    ...(missing.passes > 0 ? [counted(missing.passes, 'more pass')] : []),
    ...(days > 0 ? [counted(days, 'more day')] : []),
  ]
  if (parts.length === 0) return ''
  return ` Without a fix it counts as healthy again after ${parts.join(' and ')} without a failure.`
}
