import type { Attempt } from './report.ts'

/** Keeps only the stack of the last failed attempt, because a fingerprint describes no other one. */
export function withLastStack(attempts: readonly Attempt[]): Attempt[] {
  const last = attempts.findLastIndex(({ status }) => status === 'failed')
  return attempts.map((attempt, index) => (index === last ? attempt : withoutStack(attempt)))
}

/** Returns what is stored of an attempt. */
export const withoutStack = ({ status, durationMs, message }: Attempt): Attempt => ({ status, durationMs, message })
