import { basename } from 'node:path'
import { analyze } from '../engines/analysis/analyze.ts'
import { fileCache } from '../engines/analysis/cache.ts'
import { openWorkingTree } from '../engines/source/working-tree.ts'
import { defaultLimits } from '../engines/analysis/types.ts'
import { RepositoryError } from '../engines/source/types.ts'
import type { AnalysisProgress } from '../core/analysis/schema.ts'
import type { AnalysisResult } from '../engines/analysis/schema.ts'

/** The job that `working-tree.ts` sends to this process. */
export interface WorkingTreeJob {
  root: string
  /** The file with the facts of the last analysis. */
  factsFile: string
}

export type WorkingTreeOutcome =
  | { finished: AnalysisResult }
  /** Has a code where the user can fix the cause; otherwise it is a defect. */
  | { failed: { code: string | undefined; message: string } }

export type FromWorkingTree = { progress: AnalysisProgress } | WorkingTreeOutcome

const abort = new AbortController()

// The parent process has ended, or cancelled the job.
process.once('disconnect', () => abort.abort())
process.once('message', (job: WorkingTreeJob) => void answer(job))

async function answer(job: WorkingTreeJob): Promise<void> {
  try {
    await send({ finished: await work(job) })
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const isKnown = error instanceof RepositoryError
    await send({ failed: isKnown ? { code: error.code, message: error.message } : { code: undefined, message } })
  }
  if (process.connected) process.disconnect()
}

async function work({ root, factsFile }: WorkingTreeJob): Promise<AnalysisResult> {
  const { signal } = abort
  await using snapshot = await openWorkingTree(root, { limits: defaultLimits, signal })
  return await analyze(snapshot, {
    limits: defaultLimits,
    signal,
    onProgress: (progress) => void send({ progress }),
    repositoryName: basename(root),
    cache: fileCache(factsFile),
  })
}

function send(message: FromWorkingTree): Promise<void> {
  return new Promise((resolve) => {
    if (!process.connected || !process.send) resolve()
    else process.send(message, undefined, undefined, () => resolve())
  })
}
