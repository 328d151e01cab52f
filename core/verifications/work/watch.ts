import type { Context } from '../../base/context.ts'
import { type RecordWatch, watchRecord } from '../../jobs/watch-record.ts'
import { VerificationEntity, type VerificationRow } from '../entity.ts'
import type { Report } from '../proof/task.ts'
import type { VerificationProgress } from '../schema.ts'

/** Follows the record of a verification while it is worked on. */
export interface VerificationWatch extends RecordWatch {
  report: Report
}

export function watchVerification(
  { db, log }: Pick<Context, 'db' | 'log'>,
  { id, attempt }: Pick<VerificationRow, 'id' | 'attempt'>,
): VerificationWatch {
  const verifications = db.getRepository(VerificationEntity)
  const still = { id, attempt, status: 'running' as const }
  let current: VerificationProgress | undefined
  const watch = watchRecord<VerificationProgress>(log, {
    id,
    progress: () => current,
    write: async (progress) => (await verifications.update(still, { progress })).affected !== 0,
    look: () => verifications.existsBy(still),
  })
  return {
    ...watch,
    report: (phase, done = 0, total = 0) => {
      const isNews = current?.phase !== phase
      current = { phase, done, total }
      // A phase is told at once; what is counted within it, at the next look.
      if (isNews) watch.lookNow()
    },
  }
}
