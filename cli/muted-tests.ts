import { coreFailure, type CoreClient } from '../client/core-client.ts'
import type { FailureDigest } from '../core/test-runs/failures/schema.ts'
import type { UploadedRun } from '../core/test-runs/uploads/schema.ts'

/**
 * Returns the names of the muted tests of a run. Returns null if there are none, and if the server does not return them:
 * a token of CI may lack the scope `tests:read`.
 */
export async function findMuted(
  core: CoreClient,
  { runId, mutedTests }: Pick<UploadedRun, 'runId' | 'mutedTests'>,
): Promise<FailureDigest['muted'] | null> {
  if (mutedTests === 0) return null
  try {
    const { muted } = await core.testRuns.failures.query({ runId, maxCharacters: 2_000 })
    return muted
  } catch (error) {
    if (coreFailure(error)) return null
    throw error
  }
}
