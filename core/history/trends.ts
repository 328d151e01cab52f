import type { Context } from '../base/context.ts'
import { getOwnProject } from '../projects/get.ts'
import type { TestRunRow } from '../test-runs/entity.ts'
import { reportedStatus } from '../test-runs/present.ts'
import { ofWholeBranch } from '../coverage/whole-runs.ts'
import { hasOutcome, passed, type ProjectBranch } from './runs-of-branch.ts'
import type { GetTrends, Trends } from './schema.ts'
import { countStreaks, findStandings } from './standings.ts'

const maxRuns = 200
const dayMs = 86_400_000

/** Returns how the runs of all tests of a branch went: by day, the latest ones, and since when they pass or fail. */
export async function getTrends(ctx: Context, input: GetTrends): Promise<Trends> {
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const of = { projectId: project.id, branch: input.branch ?? project.branch }
  return {
    branch: of.branch,
    current: await findCurrent(ctx, of),
    days: await findDays(ctx, of, firstDay(ctx.now(), input.days)),
    runs: await findRuns(ctx, of),
  }
}

/** Returns the start of the first of `days` days in UTC, of which the last is today. */
export function firstDay(now: Date, days: number): Date {
  const today = Math.floor(now.getTime() / dayMs)
  return new Date((today - days + 1) * dayMs)
}

async function findCurrent(ctx: Context, of: ProjectBranch): Promise<Trends['current']> {
  const standing = (await findStandings(ctx, [of])).get(of.projectId)
  if (!standing) return null
  const { runId, commitSha, createdAt } = standing.streak
  const runs = (await countStreaks(ctx, [standing])).get(of.projectId) ?? 0
  return { status: standing.status, since: { runId, commitSha, createdAt: createdAt.toISOString() }, runs }
}

function findDays({ db }: Context, { projectId, branch }: ProjectBranch, since: Date): Promise<Trends['days']> {
  // Uploads of coverage alone have no tests, but they are runs with coverage.
  return db.query<Trends['days']>(
    `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
            count(*)::int AS runs,
            count(*) FILTER (WHERE ${hasOutcome} AND ${passed} = 1)::int AS passed,
            count(*) FILTER (WHERE status = 'COMPLETED' AND failed_tests > 0)::int AS failed,
            count(*) FILTER (WHERE status = 'FAILED')::int AS errors,
            percentile_disc(0.5) WITHIN GROUP (ORDER BY duration) FILTER (WHERE ${wasTimed}) AS "durationP50",
            percentile_disc(0.95) WITHIN GROUP (ORDER BY duration) FILTER (WHERE ${wasTimed}) AS "durationP95",
            (array_agg(coverage ORDER BY id DESC) FILTER (WHERE coverage IS NOT NULL))[1] AS coverage
       FROM test_runs
      WHERE project_id = $1 AND branch = $2 AND ${ofWholeBranch} AND status IN ('COMPLETED', 'FAILED')
        AND created_at >= $3
      GROUP BY day ORDER BY day`,
    [projectId, branch, since],
  )
}

/** A run without a result says nothing about the time that the tests need. */
const wasTimed = `status = 'COMPLETED' AND total_tests > 0 AND duration IS NOT NULL`

type Row = Omit<Trends['runs'][number], 'createdAt' | 'reportedStatus'> & Pick<TestRunRow, 'createdAt' | 'status'>

async function findRuns({ db }: Context, { projectId, branch }: ProjectBranch): Promise<Trends['runs']> {
  const rows = await db.query<Row[]>(
    `SELECT id AS "runId", created_at AS "createdAt", status, commit_sha AS "commitSha", duration, coverage,
            total_tests AS "totalTests", failed_tests AS "failedTests", muted_tests AS "mutedTests"
       FROM test_runs WHERE project_id = $1 AND branch = $2 AND ${ofWholeBranch} ORDER BY id DESC LIMIT ${maxRuns}`,
    [projectId, branch],
  )
  return rows.map(({ status, createdAt, ...row }) => ({
    ...row,
    createdAt: createdAt.toISOString(),
    reportedStatus: reportedStatus({ status, failedTests: row.failedTests }),
  }))
}
