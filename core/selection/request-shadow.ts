import type { Context } from '../base/context.ts'
import { loadSelectionPolicy } from './load-policy.ts'

export const shadowQueue = 'shadow-selection'

interface EndedRun {
  id: string
  projectId: string
  status: string
  totalTests: number
  commitSha: string | null
  snapshotId: string | null
  selection: object | null
  withSecrets: boolean
}

/**
 * Requests that Assay computes which tests a selection would have run in place of a run of all tests that ended, in the
 * caller's transaction.
 */
export async function requestShadow(tx: Pick<Context, 'db' | 'jobs'>, run: EndedRun): Promise<void> {
  const isWhole = run.snapshotId === null && run.selection === null && run.withSecrets && run.commitSha !== null
  if (run.status !== 'COMPLETED' || run.totalTests === 0 || !isWhole) return
  if ((await loadSelectionPolicy(tx, run.projectId)).mode === 'off') return
  // The parts of an upload follow each other within seconds.
  await tx.jobs.enqueue(tx.db, shadowQueue, { runId: run.id }, { group: run.id, settleSeconds: 5 })
}
