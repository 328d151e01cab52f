import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/errors.ts'
import { testUrl } from '../../base/page-urls.ts'
import { getOwnProject } from '../../projects/get.ts'
import { short } from '../failures/short.ts'
import { nameOrFileContains } from './name-or-file.ts'
import type { GetTestHistory, PastResult, TestHistory } from './schema.ts'

const maxRuns = 500
/** The number of latest runs in which a search looks for tests. */
const searchedRuns = 20
const maxTests = 1_000
const maxMessageLength = 300

type Test = Extract<TestHistory, { kind: 'history' }>['test']
type FoundTest = Extract<TestHistory, { kind: 'tests' }>['tests'][number]

/** Returns the results of a test in the project's latest runs of commits, or the tests to choose from if a search finds several. */
export async function getTestHistory(ctx: Context, input: GetTestHistory): Promise<TestHistory> {
  const { branch, limit, offset, search = '' } = input
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const scope = { projectId: project.id, branch: branch ?? null }
  if (input.testId !== undefined) return historyOf(ctx, scope, input.testId, { limit, offset })
  const found = await findTests(ctx, scope, search)
  // The complete name of one test may be part of other names.
  const named = found.filter((test) => fullName(test) === search)
  const [only, ...others] = named.length === 1 ? named : found
  if (only && others.length === 0) return historyOf(ctx, scope, only.testId, { limit, offset })
  const tests = found.slice(offset, offset + limit)
  return { kind: 'tests', tests, pagination: { total: found.length, limit, offset } }
}

const fullName = ({ suite, name }: FoundTest) => (suite === '' ? name : `${suite} > ${name}`)

interface Scope {
  projectId: string
  /** Null for all branches. */
  branch: string | null
}

async function historyOf(
  ctx: Context,
  scope: Scope,
  testId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<TestHistory> {
  const rows = await findResults(ctx, scope, testId)
  const [latest] = rows
  if (!latest) {
    throw notFound(
      'test',
      `None of the project's latest runs${scope.branch === null ? '' : ' on this branch'} contains it.`,
    )
  }
  const count = (matches: (row: Row) => boolean) => rows.filter(matches).length
  return {
    kind: 'history',
    url: testUrl(ctx, { id: testId, projectId: scope.projectId }),
    test: { testId, suite: latest.suite, name: latest.name, file: latest.file },
    results: rows.slice(offset, offset + limit).map(presentResult),
    totals: {
      runs: rows.length,
      passed: count(({ status }) => status === 'passed'),
      failed: count(({ status }) => status === 'failed'),
      skipped: count(({ status }) => status === 'skipped'),
      flaky: count(({ flaky }) => flaky),
    },
    since: sinceWhen(rows),
    pagination: { total: rows.length, limit, offset },
  }
}

interface Row extends Omit<PastResult, 'ranAt' | 'createdAt'>, Omit<Test, 'testId'> {
  ranAt: Date
  createdAt: Date
}

/** Returns one result per run, newest first. */
function findResults({ db }: Context, { projectId, branch }: Scope, testId: string): Promise<Row[]> {
  // The lateral join avoids reading the results of other projects, whose tests can have the same ids. A test with two
  // results in a run, such as two variants, failed if either of them failed. Tests that were merged into it count.
  return db.query<Row[]>(
    `WITH runs AS MATERIALIZED (
       SELECT id, branch, commit_sha, created_at, ran_at, outage FROM test_runs
        WHERE project_id = $1 AND status = 'COMPLETED' AND snapshot_id IS NULL AND ($3::text IS NULL OR (branch = $3 AND with_secrets))
        ORDER BY id DESC LIMIT $4
     ),
     ids AS MATERIALIZED (
       SELECT $2::uuid AS id UNION SELECT test_id FROM tests WHERE project_id = $1 AND merged_into = $2
     )
     SELECT runs.id AS "runId", branch, commit_sha AS "commitSha", created_at AS "createdAt", ran_at AS "ranAt", outage, r.*
       FROM runs CROSS JOIN LATERAL (
         SELECT variant, suite, name, file, status, duration_ms AS "durationMs", left(message, 1000) AS message,
                flaky AND status = 'passed' AS flaky, muted AND status = 'failed' AS muted, error_id AS fingerprint
           FROM test_results WHERE test_id = ANY (ARRAY(SELECT id FROM ids)) AND run_id = runs.id
          ORDER BY status = 'failed' DESC, status = 'passed' DESC, position LIMIT 1
       ) r
      ORDER BY ran_at DESC, runs.id DESC`,
    [projectId, testId, branch, maxRuns],
  )
}

/** @param rows - newest first; skipped results say nothing */
function sinceWhen(rows: readonly Row[]): Extract<TestHistory, { kind: 'history' }>['since'] {
  const decided = rows.filter(({ status }) => status !== 'skipped')
  const lastGood = decided.findIndex(({ status }) => status === 'passed')
  const row = lastGood === -1 ? decided : decided.slice(0, lastGood)
  const first = row.at(-1)
  if (!first) return null
  const { runId, branch, commitSha } = first
  return { runId, branch, commitSha, ...timesOf(first), runs: row.length }
}

const timesOf = ({ ranAt, createdAt }: Row) => ({ ranAt: ranAt.toISOString(), createdAt: createdAt.toISOString() })

function presentResult(row: Row): PastResult {
  const { runId, branch, commitSha, variant, status, durationMs, message, flaky, muted, fingerprint, outage } = row
  return {
    runId,
    variant,
    branch,
    commitSha,
    status,
    durationMs,
    message: message === null ? null : short(message.trim(), maxMessageLength),
    flaky,
    muted,
    fingerprint,
    outage,
    ...timesOf(row),
  }
}

/** Finds tests in the latest runs; tests whose latest result is a failure come first. */
function findTests({ db }: Context, { projectId, branch }: Scope, search: string): Promise<FoundTest[]> {
  return db.query<FoundTest[]>(
    `SELECT * FROM (
       SELECT DISTINCT ON (test_id) test_id AS "testId", suite, name, file, status
         FROM test_results
        WHERE run_id = ANY (ARRAY(
                SELECT id FROM test_runs
                 WHERE project_id = $1 AND status = 'COMPLETED' AND snapshot_id IS NULL
                   AND ($2::text IS NULL OR branch = $2)
                 ORDER BY id DESC LIMIT $4))
          AND (${nameOrFileContains('$3')})
        ORDER BY test_id, run_id DESC, status = 'failed' DESC) AS tests
      ORDER BY status <> 'failed', suite, name, file LIMIT $5`,
    [projectId, branch, search, searchedRuns, maxTests],
  )
}
