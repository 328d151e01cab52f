import type { Context } from '../../base/context.ts'
import type { FailingTest, Flakiness } from './schema.ts'
import { type EarlierRun, knownCommit } from './earlier-runs.ts'

interface Outcome {
  run: Pick<EarlierRun, 'id' | 'commitSha' | 'snapshotId' | 'createdAt'>
  failed: boolean
  /** The test passed after a failed attempt. */
  retried: boolean
}

export type Since = FailingTest['since']

/** A test is flaky if its outcome changed this often within this many runs. */
const flakyFlips = 2
const flipRuns = 20

/**
 * Loads the history of tests that failed in `run`.
 *
 * @returns for a test id: since when the test fails, and whether it is known to be flaky
 */
export async function findHistories(
  { db }: Pick<Context, 'db'>,
  run: Outcome['run'],
  earlier: readonly EarlierRun[],
  testIds: readonly string[],
): Promise<(testId: string) => { since: Since; flaky: Flakiness | null }> {
  // Skipped results say nothing. A test with two results in a run (from two shards) failed if either of them failed.
  const rows = await db.query<{ testId: string; runId: string; failed: boolean; retried: boolean }[]>(
    `SELECT test_id AS "testId", run_id AS "runId", bool_or(status = 'failed') AS failed, bool_or(flaky) AS retried
       FROM test_results WHERE test_id = ANY ($1::uuid[]) AND run_id = ANY ($2) AND status <> 'skipped'
      GROUP BY test_id, run_id`,
    [testIds, earlier.map(({ id }) => id)],
  )
  const byTest = Map.groupBy(rows, ({ testId }) => testId)
  return (testId) => {
    const byRun = new Map(byTest.get(testId)?.map((row) => [row.runId, row]))
    const before = earlier.flatMap((each): Outcome[] => {
      const row = byRun.get(each.id)
      return row ? [{ run: each, failed: row.failed, retried: row.retried }] : []
    })
    const outcomes = [{ run, failed: true, retried: false }, ...before]
    return { since: sinceWhen(outcomes), flaky: flakiness(outcomes) }
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

/** @param outcomes - newest first */
export function flakiness(outcomes: readonly Outcome[]): Flakiness | null {
  const recent = outcomes.slice(0, flipRuns)
  const flips = recent.filter(({ failed }, index) => index > 0 && failed !== recent[index - 1]?.failed).length
  const passedAfterRetry = outcomes.filter(({ retried }) => retried).length
  const sameCommit = commitWithBoth(outcomes)
  if (flips < flakyFlips && passedAfterRetry === 0 && sameCommit === null) return null
  const reason =
    sameCommit !== null
      ? `The test passed and failed on the same commit, ${sameCommit.slice(0, 12)}.`
      : passedAfterRetry > 0
        ? `The test passed only after a retry in ${passedAfterRetry} of the last ${outcomes.length} runs.`
        : `The test changed between passed and failed ${flips} times in the last ${recent.length} runs.`
  const failedRuns = outcomes.filter(({ failed }) => failed).length
  return { reason, runs: outcomes.length, failedRuns, flips, passedAfterRetry, sameCommit }
}

function commitWithBoth(outcomes: readonly Outcome[]): string | null {
  const commits = (wanted: boolean) =>
    outcomes.flatMap(({ failed, run }) => (failed === wanted ? (run.commitSha ?? []) : []))
  const passed = new Set(commits(false))
  return commits(true).find((commit) => passed.has(commit)) ?? null
}
