/** What a receiver answered, or why it did not. */
export interface Answer {
  responseStatus: number | null
  error: string | null
  /** How long the receiver asked to be left alone. */
  retryAfterMs: number | null
}

/** What becomes of a delivery after an attempt. */
export type Verdict =
  | { status: 'succeeded' }
  | { status: 'failed'; error: string }
  | { status: 'pending'; error: string; nextAttemptAt: Date }

/**
 * What follows from an attempt that ended at `at`. Attempts that somebody asked for leave the schedule where it was.
 *
 * @param retryMs - how long to wait before each attempt of the schedule, the first among them
 * @param scheduledAttempts - how many of them are used up; null for what is tried once only
 */
export function judge(
  answer: Answer,
  { retryMs, scheduledAttempts, at }: { retryMs: readonly number[]; scheduledAttempts: number | null; at: Date },
): Verdict {
  if (isSuccess(answer)) return { status: 'succeeded' }
  const error = answer.error ?? `The receiver answered ${answer.responseStatus}.`
  const step = scheduledAttempts === null ? undefined : retryMs[scheduledAttempts]
  if (step === undefined || !mayPass(answer)) return { status: 'failed', error }
  const wait = Math.min(Math.max(step, answer.retryAfterMs ?? 0), 2 * step)
  return { status: 'pending', error, nextAttemptAt: new Date(at.getTime() + wait) }
}

/** The status decides: a receiver that dawdles over the rest of its answer has taken the delivery. */
export const isSuccess = ({ responseStatus }: Answer) =>
  responseStatus !== null && responseStatus >= 200 && responseStatus < 300

/** Whether the same delivery might be taken later. */
const mayPass = ({ responseStatus: status }: Answer) =>
  status === null || status === 408 || status === 429 || (status >= 500 && status < 600)
