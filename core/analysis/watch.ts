import type { DataSource } from 'typeorm'
import type { Services } from '../base/context.ts'
import { AnalysisEntity } from './entity.ts'
import type { AnalysisProgress } from './schema.ts'

const progressInterval = 500
const lookInterval = 1_500

/**
 * Keeps the record of a running analysis: writes its progress, at most twice a second and one write at a time, and
 * notices when the record is gone, because the project was deleted, also while there is no progress to write.
 */
export function watchAnalysis(services: Services, dataSource: DataSource, analysisId: string, onDeleted: () => void) {
  const analyses = dataSource.getRepository(AnalysisEntity)
  let lastReport = 0
  let busy = false
  let working: Promise<void> = Promise.resolve()

  const work = (step: () => Promise<boolean>) => {
    busy = true
    working = working
      .then(async () => {
        if (!(await step())) onDeleted()
      })
      .catch((error: unknown) => services.log.warn({ err: error, analysisId }, 'the record cannot be reached'))
      .finally(() => {
        busy = false
      })
  }
  const write = (change: { progress?: AnalysisProgress; commitSha?: string; branch?: string | null }) =>
    work(async () => (await analyses.update({ id: analysisId }, change)).affected !== 0)

  const looking = setInterval(() => {
    if (!busy) work(() => analyses.existsBy({ id: analysisId }))
  }, lookInterval)

  return {
    commit: (commit: { commitSha: string; branch: string | undefined }) =>
      write({ commitSha: commit.commitSha, branch: commit.branch ?? null }),
    report(progress: AnalysisProgress) {
      const now = performance.now()
      if (busy || now - lastReport < progressInterval) return
      lastReport = now
      write({ progress })
    },
    /** Resolves when nothing more will be written. */
    stop() {
      clearInterval(looking)
      return working
    },
  }
}
