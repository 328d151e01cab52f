import type { Inputs } from '../../api.ts'
import { causeOf } from './error-words.ts'
import type { RunDetail } from './run.ts'

type Again =
  | { kind: 'trigger'; input: Inputs['testRuns']['trigger'] }
  /** The failed tests of an earlier run. */
  | { kind: 'rerun'; input: Inputs['testRuns']['rerunFailed'] }
  /** What the run was asked for does not exist, so the user has to change it. */
  | { kind: 'ask' }

type Run = Pick<
  RunDetail,
  'projectId' | 'source' | 'branch' | 'commitSha' | 'snapshotId' | 'type' | 'selection' | 'rerunOf' | 'error'
>

/** Returns how to run the same tests of the same code again; undefined if only its sender can do that. */
export function howAgain(run: Run): Again | undefined {
  const { projectId, source, branch, commitSha, snapshotId, type, selection, rerunOf, error } = run
  if (source === 'upload' || error?.code === 'snapshot_deleted') return undefined
  if (rerunOf !== null) return { kind: 'rerun', input: { runId: rerunOf } }
  if (error && causeOf(error.code).advice === 'state') return { kind: 'ask' }
  const paths = selection?.paths ?? []
  const state =
    snapshotId === null ? { branch: branch ?? undefined, commitSha: commitSha ?? undefined } : { snapshotId }
  return { kind: 'trigger', input: { projectId, ...state, type, paths: paths.length > 0 ? paths : undefined } }
}
