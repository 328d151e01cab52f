import type { Context } from '../base/context.ts'
import type { SelectionEvidence } from './schema.ts'

/** What the history of a project must show before runs may leave tests out. */
export const required = { runs: 200, caughtFailures: 20, recall: 0.99 }

/** Older runs say little about how the code is loaded today. */
const latestRuns = 1_000

/**
 * Loads in how far the latest runs of a project support its selections. Of several runs of a commit, such as named uploads,
 * the one counts in which the selection missed most.
 */
export async function loadEvidence({ db }: Pick<Context, 'db'>, projectId: string): Promise<SelectionEvidence> {
  const [row] = await db.query<
    [Omit<SelectionEvidence, 'recall' | 'saving' | 'missing'> & { all: number; selected: number }]
  >(
    `SELECT count(*)::int AS runs,
            count(*) FILTER (WHERE failures > 0)::int AS "redRuns",
            count(*) FILTER (WHERE failures > 0 AND caught = failures)::int AS "caughtRuns",
            coalesce(sum(failures), 0)::int AS failures, coalesce(sum(caught), 0)::int AS "caughtFailures",
            coalesce(sum(all_seconds), 0) AS all, coalesce(sum(selected_seconds), 0) AS selected
       FROM (SELECT DISTINCT ON (head_sha) failures, caught, all_seconds, selected_seconds
               FROM (SELECT * FROM shadow_selections WHERE project_id = $1 ORDER BY run_id DESC LIMIT ${latestRuns}) AS latest
              ORDER BY head_sha, failures - caught DESC NULLS LAST, failures DESC NULLS LAST, run_id) AS of_commits`,
    [projectId],
  )
  const { all, selected, ...counts } = row
  const recall = counts.redRuns === 0 ? null : counts.caughtRuns / counts.redRuns
  const saving = all === 0 ? null : 1 - selected / all
  return { ...counts, recall, saving, missing: missingOf({ ...counts, recall }) }
}

function missingOf({ runs, caughtFailures, recall }: Pick<SelectionEvidence, 'runs' | 'caughtFailures' | 'recall'>) {
  const parts = [
    runs < required.runs && `${required.runs - runs} more runs of all tests`,
    caughtFailures < required.caughtFailures &&
      `${required.caughtFailures - caughtFailures} more failures that the selection has`,
  ].filter((part) => part !== false)
  if (parts.length > 0) return `Not enough is known yet: ${parts.join(' and ')} are needed.`
  if (recall !== null && recall >= required.recall) return null
  return `The selection had every broken test in ${percent(recall ?? 0)} of the runs in which a change broke some; ${percent(required.recall)} are needed.`
}

/** Rounded down, so that no share looks larger than it is. */
const percent = (share: number) => `${Math.floor(share * 1_000) / 10} %`
