import type { EvidenceRun, HealthRule } from '../../../engines/health/outcome.ts'
import { explainHealth } from '../../../engines/health/explain.ts'
import type { Context } from '../../base/context.ts'
import type { FailingTest, Flakiness } from './schema.ts'
import { type EarlierRun, knownCommit } from './earlier-runs.ts'

interface Outcome {
  run: Pick<EarlierRun, 'id' | 'commitSha' | 'snapshotId' | 'createdAt'>
  failed: boolean
}

interface Judgement {
  rule: HealthRule
  evidence: EvidenceRun[]
}

export type Since = FailingTest['since']

/**
 * Loads the history of tests that failed in `run`.
 *
 * @returns for a test id: since when the test fails, and whether it is known to be flaky
 */
export async function findHistories(
  { db }: Pick<Context, 'db'>,
  run: Outcome['run'] & { projectId: string },
  earlier: readonly EarlierRun[],
  testIds: readonly string[],
): Promise<(testId: string) => { since: Since; flaky: Flakiness | null; owners: string[] }> {
  // Skipped results say nothing. A test with two results in a run (from two shards) failed if either of them failed.
  const rows = await db.query<{ testId: string; runId: string; failed: boolean }[]>(
    `SELECT test_id AS "testId", run_id AS "runId", bool_or(status = 'failed') AS failed
       FROM test_results WHERE test_id = ANY ($1::uuid[]) AND run_id = ANY ($2) AND status <> 'skipped'
      GROUP BY test_id, run_id`,
    [testIds, earlier.map(({ id }) => id)],
  )
  const known = await loadKnown({ db }, run.projectId, testIds)
  const byTest = Map.groupBy(rows, ({ testId }) => testId)
  return (testId) => {
    const byRun = new Map(byTest.get(testId)?.map((row) => [row.runId, row]))
    const before = earlier.flatMap((each): Outcome[] => {
      const row = byRun.get(each.id)
      return row ? [{ run: each, failed: row.failed }] : []
    })
    return {
      since: sinceWhen([{ run, failed: true }, ...before]),
      ...(known.get(testId) ?? { flaky: null, owners: [] }),
    }
  }
}

/** @param outcomes - newest first; the first one is a failure */
function sinceWhen(outcomes: readonly Outcome[]): Since {
  const lastGood = outcomes.findIndex(({ failed }) => !failed)
  const row = lastGood === -1 ? outcomes : outcomes.slice(0, lastGood)
  const first = row.at(-1)?.run
  if (!first) throw new Error('The outcomes must begin with a failure.')
  return {
    kind: row.length === 1 ? 'new' : 'still_failing',
    runId: first.id,
    commitSha: knownCommit(first),
    createdAt: first.createdAt.toISOString(),
    runs: row.length,
  }
}

interface Known {
  /** Why the test is flaky, as `core/tests` judged it. */
  flaky: Flakiness | null
  owners: string[]
}

/** Loads what is known about tests; for one with several variants, about the flaky one. */
async function loadKnown(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  testIds: readonly string[],
): Promise<Map<string, Known>> {
  const rows = await db.query<
    (Judgement & Omit<Flakiness, 'reason'> & { testId: string; isFlaky: boolean; owners: string[] })[]
  >(
    `SELECT test_id AS "testId", rule, evidence, since ->> 'commit' AS "sinceCommit", failures, failure_rate AS "failureRate",
            health = 'flaky' AS "isFlaky", owners
       FROM tests WHERE project_id = $1 AND test_id = ANY ($2::uuid[]) ORDER BY health = 'flaky', variant`,
    [projectId, testIds],
  )
  return new Map(
    rows.map(({ testId, rule, evidence, isFlaky, owners, ...flaky }) => [
      testId,
      { owners, flaky: isFlaky ? { reason: explainHealth({ rule, evidence }), ...flaky } : null },
    ]),
  )
}
