/**
 * SQL condition on rows of `test_runs`, written as in its indexes `test_runs_of_branch` and `test_runs_outcomes`.
 *
 * Only runs of all tests of a commit say how a branch is: runs of selected tests and of snapshots do not, nor do runs of
 * strangers, who can name any branch.
 */
export const ofWholeBranch = 'snapshot_id IS NULL AND selection IS NULL AND with_secrets'

interface Run {
  snapshotId: string | null
  selection: object | null
  withSecrets: boolean
}

/** The same of a loaded run. */
export const isWhole = ({ snapshotId, selection, withSecrets }: Run) =>
  snapshotId === null && selection === null && withSecrets
