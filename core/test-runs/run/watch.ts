import type { Context } from '../../base/context.ts'
import { type RecordWatch, watchRecord } from '../../jobs/watch-record.ts'
import { TestRunEntity, type TestRunRow } from '../entity.ts'
import type { RunProgress } from '../schema.ts'

/** Follows the record of a run while it is worked on. */
export interface RunWatch extends RecordWatch {
  report(progress: Omit<RunProgress, 'logLines'>): void
}

export function watchRun(
  { db, log }: Pick<Context, 'db' | 'log'>,
  { id, attempt }: Pick<TestRunRow, 'id' | 'attempt'>,
  countLines: () => number,
): RunWatch {
  const runs = db.getRepository(TestRunEntity)
  const still = { id, attempt, status: 'RUNNING' as const }
  let current: Omit<RunProgress, 'logLines'> | undefined
  const watch = watchRecord<RunProgress>(log, {
    id,
    progress: () => current && { ...current, logLines: countLines() },
    write: async (progress) => (await runs.update(still, { progress })).affected !== 0,
    look: () => runs.existsBy(still),
  })
  return {
    ...watch,
    report: (progress) => {
      current = progress
      watch.lookNow()
    },
  }
}
