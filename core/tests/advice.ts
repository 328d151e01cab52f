import type { Health, TestSummary } from './schema.ts'

type Facts = Pick<TestSummary, 'health' | 'quarantine' | 'lastFailure'>
type Missing = { passes: number; days: number } | null

/** Says what to do about a test. */
export const adviseOn = (facts: Facts, missing: Missing): string => advice[facts.health](facts, missing)

const advice: Readonly<Record<Health, (facts: Facts, missing: Missing) => string>> = {
  broken: (facts) =>
    `Fix the code or the test: the failure is not random. Begin with the commit where it started.${mutedUntil(facts)}`,
  flaky: (facts, missing) => {
    const wait = facts.quarantine ? mutedUntil(facts) : ' If it blocks others meanwhile, request a quarantine.'
    return `Do not retry until it passes. Find the cause (time, order, network, shared state, randomness), fix it, and confirm the fix.${wait}${withoutFix(missing)}`
  },
  new: ({ lastFailure }) =>
    lastFailure
      ? 'The test has too few results to tell a flaky test from a bug. Treat its failure as real.'
      : 'The test has too few results to judge it.',
  stale: () => 'No recent run contains the test. If it was deleted or renamed, there is nothing to do.',
  healthy: ({ quarantine }) =>
    quarantine?.status === 'active'
      ? 'The test is healthy. Release its quarantine.'
      : 'Trust its result: if it fails now, the change is the first suspect.',
}

function mutedUntil({ quarantine }: Facts): string {
  if (quarantine?.status !== 'active') return ''
  return ` It is ${quarantine.mode} until ${quarantine.expiresAt?.slice(0, 10)}; fix it before.`
}

function withoutFix(missing: Missing): string {
  const days = Math.ceil(missing?.days ?? 0)
  if (!missing || (missing.passes === 0 && days === 0)) return ''
  return ` Without a fix it counts as healthy again after ${missing.passes} more passes and ${days} more days without a failure.`
}
