import type { TestSummary } from './schema.ts'

/** Says what to do about a test. */
export function adviseOn(
  { health, quarantine, lastFailure }: Pick<TestSummary, 'health' | 'quarantine' | 'lastFailure'>,
  missing: { passes: number; days: number } | null,
): string {
  const until = quarantine?.expiresAt?.slice(0, 10)
  const muted = quarantine?.status === 'active' ? ` It is ${quarantine.mode} until ${until}; fix it before.` : ''
  switch (health) {
    case 'broken':
      return `Fix the code or the test: the failure is not random. Begin with the commit where it started.${muted}`
    case 'flaky': {
      const days = Math.ceil(missing?.days ?? 0)
      const rest =
        missing && (missing.passes > 0 || days > 0)
          ? ` Without a fix it counts as healthy again after ${missing.passes} more passes and ${days} more days without a failure.`
          : ''
      const wait = quarantine ? muted : ' If it blocks others meanwhile, request a quarantine.'
      return `Do not retry until it passes. Find the cause (time, order, network, shared state, randomness), fix it, and confirm the fix.${wait}${rest}`
    }
    case 'new':
      return lastFailure
        ? 'The test has too few results to tell a flaky test from a bug. Treat its failure as real.'
        : 'The test has too few results to judge it.'
    case 'stale':
      return 'No recent run contains the test. If it was deleted or renamed, nothing is to do.'
    case 'healthy':
      return quarantine?.status === 'active'
        ? 'The test is healthy. Release its quarantine.'
        : 'Trust its result: if it fails now, the change is the first suspect.'
  }
}
