import type { Context } from '../../base/context.ts'
import { noteDays } from '../../test-runs/note-days.ts'
import { requestDurations } from '../durations/job.ts'
import { requestOwners } from '../owners/job.ts'
import { loadTestPolicy } from '../../test-policy/load.ts'
import {
  allNotable,
  notableTests,
  type TestKey,
  uniqueTests,
  unseenTests,
  unsettledTests,
  variantsOf,
} from './candidates.ts'
import { judgeTests } from './judge-tests.ts'
import { type JudgedRun, loadRuns, outageKind } from './load-runs.ts'
import { noteFailures } from './note-failures.ts'
import { type HealthNews, storeJudged, touchTests } from './store.ts'

/** Tests that are judged with one round of queries. */
const batch = 500

/**
 * Judges the tests that the results of pending runs can change, in the caller's transaction.
 *
 * @param everything - judges all tests whose health may differ, after a change of the rules or of the branch
 * @param tests - judges all variants of these tests, too
 * @returns the changes of health
 */
export async function judgeProject(
  tx: Context,
  project: { id: string; branch: string },
  { everything = false, tests = [] }: { everything?: boolean; tests?: readonly string[] } = {},
): Promise<HealthNews[]> {
  const pending = await takePending(tx, project.id)
  if (pending.length === 0 && !everything && tests.length === 0) return []
  await noteFailures(tx, pending)
  const { health: rules } = await loadTestPolicy(tx, project.id)
  const runs = await loadRuns(tx, project, rules, tx.now())
  const changed = await storeOutages(tx, runs)
  const candidates = uniqueTests([
    await findCandidates(tx, project.id, { pending, changed, runs, everything, staleDays: rules.staleDays }),
    await variantsOf(tx, project.id, tests),
  ])
  const news: HealthNews[] = []
  for (let from = 0; from < candidates.length; from += batch) {
    const judged = await judgeTests(tx, project.id, { runs, rules }, candidates.slice(from, from + batch))
    news.push(...(await storeJudged(tx, project.id, judged)))
  }
  await touchTests(tx, project.id, pending)
  await noteDays(tx, [...pending, ...changed])
  if (pending.length > 0) await requestDurations(tx, project.id)
  if (runs.some(({ id, isDefault }) => isDefault && pending.includes(id))) await requestOwners(tx, project.id)
  return news
}

/** Uploads that are still storing results keep their run locked; they ask again when they have finished. */
async function takePending({ db }: Context, projectId: string): Promise<string[]> {
  const [rows] = await db.query<[{ id: string }[], number]>(
    `UPDATE test_runs SET health_pending = false
      WHERE id IN (SELECT id FROM test_runs WHERE project_id = $1 AND health_pending ORDER BY id FOR UPDATE SKIP LOCKED)
      RETURNING id`,
    [projectId],
  )
  return rows.map(({ id }) => id)
}

/** Stores outages that differ from what is stored, and returns the ids of their runs. */
async function storeOutages({ db }: Context, runs: readonly JudgedRun[]): Promise<string[]> {
  const changed = runs.filter((run) => outageKind(run) !== run.storedOutage)
  if (changed.length > 0) {
    await db.query(
      `UPDATE test_runs AS run SET outage = w.outage FROM unnest($1::text[], $2::text[]) AS w (id, outage)
        WHERE run.id = w.id`,
      [changed.map(({ id }) => id), changed.map(outageKind)],
    )
  }
  return changed.map(({ id }) => id)
}

async function findCandidates(
  ctx: Context,
  projectId: string,
  {
    pending,
    changed,
    runs,
    everything,
    staleDays,
  }: {
    pending: readonly string[]
    changed: readonly string[]
    runs: readonly JudgedRun[]
    everything: boolean
    staleDays: number
  },
): Promise<TestKey[]> {
  const arrived = new Set(pending)
  const firstPlace = runs.find(({ id }) => arrived.has(id))?.place ?? Infinity
  const isLate = runs.some(({ id, place }) => place > firstPlace && !arrived.has(id))
  // A pass on a commit on which a test failed before is evidence.
  const commits = new Set(runs.flatMap(({ id, commit }) => (arrived.has(id) && commit !== null ? [commit] : [])))
  const related = runs.filter(({ id, commit }) => arrived.has(id) || (commit !== null && commits.has(commit)))
  const latestRunAt = runs.findLast(({ isWhole }) => isWhole)?.at
  return uniqueTests([
    await notableTests(ctx, [...related.map(({ id }) => id), ...changed]),
    await unsettledTests(ctx, projectId, everything ? runs.map(({ id }) => id) : pending, isLate),
    latestRunAt === undefined ? [] : await unseenTests(ctx, projectId, { latestRunAt, staleDays }),
    everything ? await allNotable(ctx, projectId, runs) : [],
  ])
}
