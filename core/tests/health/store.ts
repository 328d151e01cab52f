import { newId } from '../../base/ids.ts'
import type { Context } from '../../base/context.ts'
import type { JudgedHealth } from '../../../engines/health/outcome.ts'
import { keyOf, type TestKey } from './candidates.ts'
import type { JudgedTest } from './judge-tests.ts'

/** A change of health that was not known before. */
export interface HealthNews {
  id: string
  test: JudgedTest
  from: JudgedHealth['health']
  to: JudgedHealth['health']
}

interface Known extends TestKey {
  health: JudgedHealth['health']
  rule: string
}

/**
 * Stores what was judged, in the caller's transaction.
 *
 * @returns the tests whose health changed; a test that was unknown counts as `new` before
 */
export async function storeJudged(
  { db, now }: Pick<Context, 'db' | 'now'>,
  projectId: string,
  tests: readonly JudgedTest[],
): Promise<HealthNews[]> {
  if (tests.length === 0) return []
  const ids = tests.map(({ testId }) => testId)
  const variants = tests.map(({ variant }) => variant)
  const known = await db.query<Known[]>(
    `SELECT t.* FROM unnest($2::uuid[], $3::text[]) AS w (test_id, variant)
      CROSS JOIN LATERAL (
        SELECT test_id AS "testId", variant, health, rule FROM tests
         WHERE project_id = $1 AND test_id = w.test_id AND variant = w.variant LIMIT 1) AS t`,
    [projectId, ids, variants],
  )
  const before = new Map(known.map((test) => [keyOf(test), test]))
  const at = now()
  await db.query(
    `INSERT INTO tests (project_id, test_id, variant, suite, name, file, owners, health, rule, since, evidence, missing, unsettled, counts,
                        failure_rate, failures, blocked_runs, blocked_people, impact, p50_ms, p95_ms, first_seen_at,
                        last_seen_at, last_failure, changed_at)
     SELECT $1, w."testId", w.variant, w.suite, w.name, w.file, ARRAY(SELECT jsonb_array_elements_text(w.owners)), w.health, w.rule, w.since, w.evidence, w.missing, w.unsettled, w.counts,
            w."failureRate", w.failures, w."blockedRuns", w."blockedPeople", w.impact, w.p50, w.p95, w."firstSeenAt",
            w."lastSeenAt", w."lastFailure", $3
       FROM jsonb_to_recordset($2) AS w ("testId" uuid, variant text, suite text, name text, file text, owners jsonb, health text,
            rule text, since jsonb, evidence jsonb, missing jsonb, unsettled boolean, counts jsonb, "failureRate" double precision,
            failures int, "blockedRuns" int, "blockedPeople" int, impact int, p50 double precision, p95 double precision,
            "firstSeenAt" timestamptz, "lastSeenAt" timestamptz, "lastFailure" jsonb)
     ON CONFLICT (project_id, test_id, variant) DO UPDATE SET
       suite = excluded.suite, name = excluded.name, file = excluded.file, owners = excluded.owners, health = excluded.health, rule = excluded.rule,
       since = excluded.since, evidence = excluded.evidence, missing = excluded.missing, unsettled = excluded.unsettled, counts = excluded.counts,
       failure_rate = excluded.failure_rate, failures = excluded.failures, blocked_runs = excluded.blocked_runs,
       blocked_people = excluded.blocked_people, impact = excluded.impact, p50_ms = excluded.p50_ms,
       p95_ms = excluded.p95_ms, first_seen_at = least(tests.first_seen_at, excluded.first_seen_at),
       last_seen_at = greatest(tests.last_seen_at, excluded.last_seen_at), last_failure = excluded.last_failure,
       version = tests.version + (tests.health <> excluded.health)::int,
       changed_at = CASE WHEN tests.health <> excluded.health THEN excluded.changed_at ELSE tests.changed_at END`,
    [projectId, JSON.stringify(tests.map(rowOf)), at],
  )
  const news = tests.flatMap((test): HealthNews[] => {
    const from = before.get(keyOf(test))?.health ?? 'new'
    const to = test.judged.health
    return from === to ? [] : [{ id: newId(at), test, from, to }]
  })
  await storeChanges({ db }, projectId, news, at)
  return news
}

function rowOf({ judged, ...test }: JudgedTest) {
  const { health, rule, since, evidence, missing, unsettled, counts, failureRate } = judged
  return { ...test, health, rule, since, evidence, missing, unsettled, counts, failureRate }
}

async function storeChanges({ db }: Pick<Context, 'db'>, projectId: string, news: readonly HealthNews[], at: Date) {
  if (news.length === 0) return
  await db.query(
    `INSERT INTO health_changes (id, project_id, test_id, variant, "from", "to", rule, evidence, run_id, created_at)
     SELECT w.id, $1, w."testId", w.variant, w."from", w."to", w.rule, w.evidence, w."runId", $3
       FROM jsonb_to_recordset($2) AS w (id text, "testId" uuid, variant text, "from" text, "to" text, rule text,
            evidence jsonb, "runId" text)`,
    [
      projectId,
      JSON.stringify(
        news.map(({ id, test, from, to }) => ({
          id,
          testId: test.testId,
          variant: test.variant,
          from,
          to,
          rule: test.judged.rule,
          evidence: test.judged.evidence,
          runId: test.judged.changes.at(-1)?.runId ?? null,
        })),
      ),
      at,
    ],
  )
}

/** Notes when tests were seen: for the last time, at most once a day for each test. */
export async function touchTests({ db }: Pick<Context, 'db'>, projectId: string, runIds: readonly string[]) {
  await db.query(
    `UPDATE tests AS t SET last_seen_at = greatest(t.last_seen_at, seen.last), first_seen_at = least(t.first_seen_at, seen.first)
       FROM (SELECT r.test_id, r.variant, min(run.ran_at) AS first, max(run.ran_at) AS last
               FROM test_results AS r JOIN test_runs AS run ON run.id = r.run_id
              WHERE r.run_id = ANY ($2) AND r.status <> 'skipped' GROUP BY r.test_id, r.variant) AS seen
      WHERE t.project_id = $1 AND t.test_id = seen.test_id AND t.variant = seen.variant
        AND (t.last_seen_at < seen.last - interval '1 day' OR t.first_seen_at > seen.first)`,
    [projectId, runIds],
  )
}
