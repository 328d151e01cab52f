import { findDurationSteps } from '../../../engines/health/change-points.ts'
import { durationQuantiles } from '../../../engines/health/duration-quantiles.ts'
import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/errors.ts'
import { getOwnProject } from '../../projects/get.ts'
import { TestRunEntity, type TestRunRow } from '../../test-runs/entity.ts'
import { isJudged } from '../health/load-runs.ts'
import type { GetTestSpeed, TestSpeed } from './schema.ts'

const shown = 25
/** Tests whose history is examined for lasting changes. */
const examined = 100
/** Enough for a month of ten runs a day. */
const recentRuns = 300

/** Returns what the time of the latest run consists of, the slowest tests and files, and which tests became slower. */
export async function getTestSpeed(ctx: Context, input: GetTestSpeed): Promise<TestSpeed> {
  const { id: projectId } = await getOwnProject(ctx, input.projectId, 'viewer')
  const run = await findRun(ctx, projectId, input.runId)
  const [tests, files, steps] = await Promise.all([
    slowestTests(ctx, projectId),
    slowestFiles(ctx, projectId),
    findSteps(ctx, projectId),
  ])
  return { run: run && (await presentRun(ctx, run)), ...tests, ...files, steps }
}

async function findRun({ db }: Context, projectId: string, runId: string | undefined): Promise<TestRunRow | null> {
  const runs = db.getRepository(TestRunEntity)
  if (runId === undefined) {
    return runs
      .createQueryBuilder('run')
      .where(
        `run.projectId = :projectId AND run.status = 'COMPLETED' AND run.totalTests > 0 AND run.selection IS NULL`,
        {
          projectId,
        },
      )
      .orderBy('run.id', 'DESC')
      .getOne()
  }
  const run = await runs.findOneBy({ id: runId, projectId })
  if (!run) throw notFound('test run')
  return run
}

async function presentRun({ db }: Context, run: TestRunRow): Promise<NonNullable<TestSpeed['run']>> {
  const files = await db.query<{ file: string | null; ms: number; tests: number }[]>(
    `SELECT file, sum(duration_ms) AS ms, count(*)::int AS tests FROM test_results
      WHERE run_id = $1 AND duration_ms IS NOT NULL GROUP BY file ORDER BY sum(duration_ms) DESC LIMIT ${shown}`,
    [run.id],
  )
  const [{ testMs }] = await db.query<[{ testMs: number | null }]>(
    'SELECT sum(duration_ms) AS "testMs" FROM test_results WHERE run_id = $1',
    [run.id],
  )
  const byKind = Map.groupBy(run.timeline ?? [], ({ kind }) => kind)
  return {
    runId: run.id,
    durationMs: run.duration,
    phases: [...byKind].map(([kind, steps]) => ({
      kind,
      ms: steps.reduce((sum, { durationMs }) => sum + durationMs, 0),
    })),
    testMs,
    files: files.map(({ file, ms, tests }) => ({ file, ms, tests })),
  }
}

const ofProject = `project_id = $1 AND merged_into IS NULL AND health <> 'stale'`

async function slowestTests({ db }: Context, projectId: string): Promise<Pick<TestSpeed, 'tests' | 'totalMs'>> {
  const tests = await db.query<TestSpeed['tests']>(
    `SELECT test_id AS "testId", variant, suite, name, file, p50_ms AS "p50Ms", p95_ms AS "p95Ms" FROM tests
      WHERE ${ofProject} AND p50_ms IS NOT NULL ORDER BY p50_ms DESC, test_id LIMIT ${shown}`,
    [projectId],
  )
  const [{ totalMs }] = await db.query<[{ totalMs: number | null }]>(
    `SELECT sum(p50_ms) AS "totalMs" FROM tests WHERE ${ofProject}`,
    [projectId],
  )
  return { tests, totalMs }
}

async function slowestFiles({ db }: Context, projectId: string): Promise<Pick<TestSpeed, 'files'>> {
  const files = await db.query<TestSpeed['files']>(
    `SELECT file, sum(p50_ms) AS ms, count(*)::int AS tests FROM tests
      WHERE ${ofProject} AND p50_ms IS NOT NULL AND file IS NOT NULL
      GROUP BY file ORDER BY sum(p50_ms) DESC, file LIMIT ${shown}`,
    [projectId],
  )
  return { files }
}

interface History {
  testId: string
  variant: string
  suite: string
  name: string
  file: string | null
  times: number[]
  durations: number[]
}

/** Looks for lasting changes among the slowest tests. */
async function findSteps({ db }: Context, projectId: string): Promise<TestSpeed['steps']> {
  const histories = await db.query<History[]>(
    `WITH runs AS MATERIALIZED (
       SELECT id, ran_at FROM test_runs WHERE project_id = $1 AND ${isJudged('test_runs')}
        ORDER BY ran_at DESC, id DESC LIMIT ${recentRuns}),
     slow AS MATERIALIZED (
       SELECT test_id, variant, suite, name, file FROM tests
        WHERE ${ofProject} AND p50_ms IS NOT NULL ORDER BY p50_ms DESC, test_id LIMIT ${examined})
     SELECT slow.test_id AS "testId", slow.variant, slow.suite, slow.name, slow.file, h.times, h.durations
       FROM slow CROSS JOIN LATERAL (
         SELECT array_agg(extract(epoch FROM runs.ran_at)::float8 * 1000 ORDER BY runs.ran_at, runs.id) AS times,
                array_agg(r.duration_ms ORDER BY runs.ran_at, runs.id) AS durations
           FROM test_results AS r JOIN runs ON runs.id = r.run_id
          WHERE r.test_id = slow.test_id AND r.variant = slow.variant AND r.status = 'passed'
            AND r.duration_ms IS NOT NULL AND r.run_id >= (SELECT min(id) FROM runs)) AS h
      WHERE h.times IS NOT NULL`,
    [projectId],
  )
  return histories
    .flatMap(({ times, durations, ...test }) => {
      const points = times.map((at, index) => ({ at, ms: durations[index] ?? 0 }))
      const step = findDurationSteps(points).at(-1)
      if (!step) return []
      const { at, before, after, ratio } = step
      const since = durationQuantiles(points.filter((point) => point.at >= at).map(({ ms }) => ms))
      return [{ ...test, at: new Date(at).toISOString(), beforeMs: before, afterMs: since?.p50 ?? after, ratio }]
    })
    .toSorted((a, b) => b.at.localeCompare(a.at))
}
