import { ofWholeBranch } from '../coverage/whole-runs.ts'
import type { Context } from '../base/context.ts'
import { reportedStatus } from '../test-runs/present.ts'
import type { TestRunRow } from '../test-runs/entity.ts'
import { branchParameters, givenBranches, hasOutcome, passed, type ProjectBranch } from './runs-of-branch.ts'

const maxCount = 500

/** The consecutive latest runs of a branch that passed, or that did not. */
export interface Streak {
  /** The first of these runs. */
  runId: string
  commitSha: string | null
  createdAt: Date
}

/** How a branch is according to its latest runs with an outcome. */
export interface Standing extends ProjectBranch {
  status: 'passing' | 'failing' | 'error'
  latest: Pick<TestRunRow, 'id' | 'createdAt' | 'flakyTests'>
  streak: Streak
}

interface Row extends Pick<TestRunRow, 'id' | 'createdAt' | 'flakyTests' | 'status' | 'failedTests'>, ProjectBranch {
  sinceId: string
  sinceCommit: string | null
  sinceCreatedAt: Date
}

const ofGiven = `project_id = given.project_id AND branch = given.branch AND ${ofWholeBranch} AND ${hasOutcome}`

/** Returns the standing of each branch that has a run with an outcome. */
export async function findStandings(
  { db }: Pick<Context, 'db'>,
  branches: readonly ProjectBranch[],
): Promise<Map<string, Standing>> {
  // Each step is a lookup at one end of a range of the index `test_runs_outcomes`, however many runs there are.
  const newest = (outcome: 0 | 1) =>
    `coalesce((SELECT id FROM test_runs WHERE ${ofGiven} AND ${passed} = ${outcome} ORDER BY id DESC LIMIT 1), '')`
  const rows = await db.query<Row[]>(
    `WITH newest AS MATERIALIZED (
       SELECT project_id, branch, ${newest(1)} AS passing, ${newest(0)} AS failing FROM ${givenBranches}),
     standings AS MATERIALIZED (
       SELECT project_id, branch, (passing > failing)::int AS passed, greatest(passing, failing) AS latest,
              least(passing, failing) AS before
         FROM newest)
     SELECT given.project_id AS "projectId", given.branch, latest.id, latest.created_at AS "createdAt",
            latest.flaky_tests AS "flakyTests", latest.status, latest.failed_tests AS "failedTests",
            since.id AS "sinceId", since.commit_sha AS "sinceCommit", since.created_at AS "sinceCreatedAt"
       FROM standings AS given
       JOIN test_runs AS latest ON latest.id = given.latest
      CROSS JOIN LATERAL (
        SELECT id, commit_sha, created_at FROM test_runs
         WHERE ${ofGiven} AND ${passed} = given.passed AND id > given.before ORDER BY id LIMIT 1) AS since`,
    branchParameters(branches),
  )
  return new Map(rows.map((row) => [row.projectId, presentStanding(row)]))
}

/** Counts the runs of streaks, up to 500 for each. */
export async function countStreaks(
  { db }: Pick<Context, 'db'>,
  standings: readonly Standing[],
): Promise<Map<string, number>> {
  const rows = await db.query<{ projectId: string; runs: number }[]>(
    `SELECT given.project_id AS "projectId",
            (SELECT count(*)::int FROM (
               SELECT FROM test_runs WHERE ${ofGiven} AND ${passed} = given.passed AND id >= given.since
                LIMIT ${maxCount}) AS counted) AS runs
       FROM unnest($1::text[], $2::text[], $3::int[], $4::text[]) AS given (project_id, branch, passed, since)`,
    [
      ...branchParameters(standings),
      standings.map(({ status }) => Number(status === 'passing')),
      standings.map(({ streak }) => streak.runId),
    ],
  )
  return new Map(rows.map(({ projectId, runs }) => [projectId, runs]))
}

const statuses = { PASSED: 'passing', FAILED: 'failing', ERROR: 'error' } as const

function presentStanding(row: Row): Standing {
  const reported = reportedStatus(row)
  if (!(reported in statuses)) throw new Error(`A run with the status ${reported} has no outcome.`)
  return {
    projectId: row.projectId,
    branch: row.branch,
    status: statuses[reported as keyof typeof statuses],
    latest: { id: row.id, createdAt: row.createdAt, flakyTests: row.flakyTests },
    streak: { runId: row.sinceId, commitSha: row.sinceCommit, createdAt: row.sinceCreatedAt },
  }
}
