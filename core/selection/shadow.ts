import { skipText } from '../../engines/selection/reason-text.ts'
import type { Context } from '../base/context.ts'
import type { ProjectRow } from '../projects/entity.ts'
import { type FailedTest, findCaused, type WholeRun } from './caused-failures.ts'
import type { MissedTest } from './schema.ts'
import { type FoundSelection, selectIn } from './select-in-source.ts'

type Project = Omit<ProjectRow, 'settings'>

const maxMissed = 20

/**
 * Computes which tests a selection would have run in place of a run of all tests, and whether it had those that failed
 * because of the change. Replaces what was stored for the run.
 *
 * @throws RunFailure if the commit cannot be fetched
 * @throws RepositoryError if it cannot be compared with an earlier one
 */
export async function storeShadow(ctx: Context, project: Project, run: WholeRun): Promise<void> {
  const base = (await earlierCommit(ctx, project, run)) ?? project.branch
  const ref = { branch: null, commitSha: run.commitSha }
  const found = await selectIn(ctx, project, ref, { lane: 'background', base, exceptRun: run.id })
  const failures = await findCaused(ctx, project, run, found.baseSha)
  const missed = failures?.flatMap((test) => missedBy(found, test)) ?? []
  const { baseSha, headSha, mode, whyAll, counts, seconds } = found
  await ctx.db.query(
    `INSERT INTO shadow_selections (run_id, project_id, base_sha, head_sha, mode, why_all, counts, all_seconds, selected_seconds,
                                    failures, caught, missed, created_at)
     SELECT id, project_id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 FROM test_runs WHERE id = $1
     ON CONFLICT (run_id) DO UPDATE
        SET base_sha = $2, head_sha = $3, mode = $4, why_all = $5, counts = $6, all_seconds = $7, selected_seconds = $8,
            failures = $9, caught = $10, missed = $11`,
    [
      run.id,
      baseSha,
      headSha,
      mode,
      whyAll,
      counts,
      seconds.all,
      mode === 'all' ? seconds.all : seconds.selected,
      failures?.length ?? null,
      failures && failures.length - missed.length,
      JSON.stringify(missed.slice(0, maxMissed)),
      ctx.now(),
    ],
  )
}

/** The commit of the run of all tests before this one, on the branch of the project. Other branches are compared with that branch. */
async function earlierCommit(
  { db }: Pick<Context, 'db'>,
  project: Project,
  run: WholeRun,
): Promise<string | undefined> {
  if (run.branch !== project.branch || run.pullRequest !== null) return undefined
  const [row] = await db.query<{ commit_sha: string }[]>(
    `SELECT commit_sha FROM test_runs
      WHERE project_id = $1 AND branch = $2 AND status = 'COMPLETED' AND total_tests > 0 AND pull_request IS NULL
        AND snapshot_id IS NULL AND selection IS NULL AND with_secrets AND commit_sha IS DISTINCT FROM $3
        AND (ran_at, id) < ($4, $5)
      ORDER BY ran_at DESC, id DESC LIMIT 1`,
    [project.id, project.branch, run.commitSha, run.ranAt, run.id],
  )
  return row?.commit_sha
}

function missedBy({ mode, tests, skipped }: FoundSelection, test: FailedTest): MissedTest[] {
  const { suite, name, file } = test
  if (mode === 'all' || tests.some((selected) => selected.file === file)) return []
  const left = skipped.find((one) => one.file === file)
  const because = left
    ? skipText(left.reason)
    : file === null
      ? 'has no known file, so that a selection cannot contain it'
      : 'is in a file that is not known to contain tests'
  return [{ suite, name, file, because }]
}
