/** SQL conditions on rows of `test_runs`, written as in its indexes `test_runs_of_branch` and `test_runs_outcomes`. */

/** The run has an outcome. An upload of coverage alone and a cancelled run have none. */
export const hasOutcome = `(status = 'FAILED' OR (status = 'COMPLETED' AND total_tests > 0))`

/** 1 if the run passed. Not a boolean, because Postgres would not look `condition = true` up in the index. */
export const passed = `(CASE WHEN status = 'COMPLETED' AND failed_tests = 0 THEN 1 ELSE 0 END)`

/** The branches of projects, as a table of the parameters 1 and 2. */
export const givenBranches = 'unnest($1::text[], $2::text[]) AS given (project_id, branch)'

export interface ProjectBranch {
  projectId: string
  branch: string
}

/** Returns the values for `givenBranches`. */
export const branchParameters = (branches: readonly ProjectBranch[]): [string[], string[]] => [
  branches.map(({ projectId }) => projectId),
  branches.map(({ branch }) => branch),
]
