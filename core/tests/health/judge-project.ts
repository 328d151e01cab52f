import { type Context, inTransaction } from '../../base/context.ts'
import { ProjectEntity, type ProjectRow } from '../../projects/entity.ts'
import { loadTestPolicy } from '../../test-policy/load.ts'
import { noteDays } from '../../test-runs/note-days.ts'
import { requestDurations } from '../durations/job.ts'
import { requestOwners } from '../owners/job.ts'
import { announceHealth } from './announce.ts'
import { findCandidates, loadMerged, uniqueTests } from './candidates.ts'
import { judgeTests } from './judge-tests.ts'
import { type JudgedRun, loadRuns, outageKind } from './load-runs.ts'
import { muteFlaky } from './mute-flaky.ts'
import { noteFailures } from './note-failures.ts'
import { storeJudged, touchTests } from './store.ts'
import { addUnjudged, takeUnjudged } from './unjudged.ts'

type Project = Omit<ProjectRow, 'settings'>

/**
 * Does what is left for the health of a project's tests: notes which tests the results of pending runs can change, and
 * judges them, in short transactions. What an ended process leaves undone, the next call does.
 *
 * @param until - stops about then, in milliseconds since 1970, so that large projects do not hold back small ones
 * @returns whether tests are left
 */
export async function judgeProject(ctx: Context, projectId: string, until = Infinity): Promise<boolean> {
  const noted = await inTurn(ctx, projectId, noteRuns)
  // Changes no health, so that it need not hold the project's lock for as long as a large run takes.
  if (noted && noted.length > 0) await touchTests(ctx, projectId, noted)
  for (;;) {
    ctx.signal.throwIfAborted()
    if ((await inTurn(ctx, projectId, judgeSome)) !== true) return false
    if (Date.now() >= until) return true
  }
}

/** Does one step in a transaction, while no other process judges the project. Returns undefined if it was deleted. */
function inTurn<Result>(
  ctx: Context,
  projectId: string,
  work: (tx: Context, project: Project) => Promise<Result>,
): Promise<Result | undefined> {
  return inTransaction(ctx, async (tx) => {
    // All transactions lock the project first.
    await tx.db.query('SELECT FROM projects WHERE id = $1 FOR KEY SHARE', [projectId])
    await tx.db.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`health/${projectId}`])
    const project = await tx.db.getRepository(ProjectEntity).findOneBy({ id: projectId })
    return project ? work(tx, project) : undefined
  })
}

/** Notes what pending runs say about outages, and lists the tests that they can change. Returns the runs. */
async function noteRuns(tx: Context, project: Project): Promise<string[]> {
  const pending = await takePending(tx, project.id)
  const everything = await takeProject(tx, project.id)
  if (pending.length === 0 && !everything) return []
  await noteFailures(tx, pending)
  const { health: rules } = await loadTestPolicy(tx, project.id)
  const runs = await loadRuns(tx, project, rules, tx.now())
  const changed = await storeOutages(tx, runs)
  const candidates = await findCandidates(tx, project.id, {
    pending,
    changed,
    runs,
    everything,
    staleDays: rules.staleDays,
  })
  await addUnjudged(tx, project.id, candidates)
  await noteDays(tx, [...pending, ...changed])
  if (pending.length > 0) await requestDurations(tx, project.id)
  if (runs.some(({ id, isDefault }) => isDefault && pending.includes(id))) await requestOwners(tx, project.id)
  return pending
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

/** Returns whether all tests are to be judged, as `requestProjectHealth` noted. */
async function takeProject({ db }: Context, projectId: string): Promise<boolean> {
  const [, count] = await db.query<[unknown, number]>('DELETE FROM unjudged_projects WHERE project_id = $1', [
    projectId,
  ])
  return count > 0
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

/** Judges some of the listed tests. Returns whether others are left. */
async function judgeSome(tx: Context, project: Project): Promise<boolean> {
  const { health: rules, quarantine } = await loadTestPolicy(tx, project.id)
  // Loaded for each step, because runs may have arrived since the last one.
  const runs = await loadRuns(tx, project, rules, tx.now())
  const taken = await takeUnjudged(tx, project.id, runs.length)
  // Some may have been merged since they were listed.
  const tests = uniqueTests(taken.tests, await loadMerged(tx, project.id))
  const news = await storeJudged(tx, project.id, await judgeTests(tx, project.id, { runs, rules }, tests))
  await muteFlaky(tx, project.id, quarantine, news)
  await announceHealth(tx, project, news)
  return taken.isLeft
}
