import type { ReportedStatus, TestRun } from '../core/test-runs/schema.ts'
import type { CoreClient } from './core-client.ts'

/** Returns the latest run of the repository that ended with a result or an error, and the latest of these that did not pass. */
export async function latestEnded(
  core: CoreClient,
  projectId: string,
  branch?: string,
): Promise<{ latest: TestRun | undefined; failed: TestRun | undefined }> {
  const latestOf = async (status: ReportedStatus) =>
    (await core.testRuns.list.query({ projectId, branch, status, snapshotId: null, limit: 1 })).runs
  const [passed, failed, broken] = await Promise.all([latestOf('PASSED'), latestOf('FAILED'), latestOf('ERROR')])
  // Ids sort by time.
  const newest = (runs: TestRun[]) => runs.toSorted((one, other) => (one.id < other.id ? 1 : -1))[0]
  return { latest: newest([...passed, ...failed, ...broken]), failed: newest([...failed, ...broken]) }
}
