/** The response of a receiver, or why there is none. */
export interface Answer {
  responseStatus: number | null
  error: string | null
  /** The delay that the receiver asked for with `Retry-After`. */
  retryAfterMs: number | null
}

/** The status of a delivery after an attempt. */
export type Verdict =
  | { status: 'succeeded' }
  | { status: 'failed'; error: string }
  | { status: 'pending'; error: string; nextAttemptAt: Date }

/**
 * Decides what follows from an attempt that ended at `at`.
 *
 * @param retryMs - the delay before each scheduled attempt, including the first
 * @param scheduledAttempts - the attempts used so far; null for a delivery that is attempted only once
 */
export function judge(
  answer: Answer,
  { retryMs, scheduledAttempts, at }: { retryMs: readonly number[]; scheduledAttempts: number | null; at: Date },
): Verdict {
  if (isSuccess(answer)) return { status: 'succeeded' }
  const error = answer.error ?? `The receiver answered ${answer.responseStatus}.`
  const step = scheduledAttempts === null ? undefined : retryMs[scheduledAttempts]
  if (step === undefined || !isTransient(answer)) return { status: 'failed', error }
  const wait = Math.min(Math.max(step, answer.retryAfterMs ?? 0), 2 * step)
  return { status: 'pending', error, nextAttemptAt: new Date(at.getTime() + wait) }
}

/** The status alone decides: a receiver that sends its response body slowly has accepted the delivery. */
export const isSuccess = ({ responseStatus }: Answer) =>
  responseStatus !== null && responseStatus >= 200 && responseStatus < 300

/** Whether the receiver might accept the same delivery later. */
const isTransient = ({ responseStatus: status }: Answer) =>
  status === null || status === 408 || status === 429 || (status >= 500 && status < 600)
