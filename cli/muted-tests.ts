import { coreFailure, type CoreClient } from '../client/core-client.ts'
import type { FailureDigest } from '../core/test-runs/failures/schema.ts'
import type { UploadedRun } from '../core/test-runs/uploads/schema.ts'

/**
 * Returns the names of the muted tests of a run. Returns null if there are none, and if the server does not return them:
 * a token of CI may lack the scope `tests:read`. Names do not decide, so that nobody waits long for them.
 */
export async function findMuted(
  core: CoreClient,
  { runId, mutedTests }: Pick<UploadedRun, 'runId' | 'mutedTests'>,
  signal = AbortSignal.timeout(10_000),
): Promise<FailureDigest['muted'] | null> {
  if (mutedTests === 0) return null
  try {
    const { muted } = await core.testRuns.failures.query({ runId, maxCharacters: 2_000 }, { signal })
    return muted
  } catch (error) {
    if (coreFailure(error) || signal.aborted) return null
    throw error
  }
}
