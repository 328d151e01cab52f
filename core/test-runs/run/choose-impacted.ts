import { RepositoryError } from '../../../engines/source/types.ts'
import { reasonText } from '../../../engines/selection/reason-text.ts'
import type { Context } from '../../base/context.ts'
import type { ProjectRow } from '../../projects/entity.ts'
import { type FoundSelection, selectInSource } from '../../selection/select-in-source.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import type { OpenedSource } from '../../workspaces/source.ts'
import type { ImpactedRun, Selection } from '../schema.ts'

const maxReasons = 20

/** Chooses the tests of a run by its change. What was chosen is known after `selectIn`. */
export function chooseImpacted(ctx: Context, project: Omit<ProjectRow, 'settings'>, wanted: ImpactedRun) {
  let found: FoundSelection | undefined
  const selection = (): Selection | null =>
    found?.mode === 'impacted' ? { paths: found.tests.map(({ file }) => file), tests: [] } : null
  return {
    /** @throws RunFailure if the base cannot be compared with the commit */
    selectIn: async (source: OpenedSource): Promise<Selection | null> => {
      const { base, budgetSeconds } = wanted
      try {
        const limits = { budgetSeconds: budgetSeconds ?? undefined }
        found = await selectInSource(ctx, project, source, { lane: 'background', base, ...limits })
      } catch (error) {
        if (error instanceof RepositoryError) throw new RunFailure(error.code, error.message)
        throw error
      }
      return selection()
    },
    selection,
    impacted: (): ImpactedRun => ({ ...wanted, found: found ? shown(found) : null }),
    notes: (): string[] => (found ? notesOf(found) : []),
  }
}

const shown = ({ baseSha, mode, whyAll, counts, seconds }: FoundSelection) => ({
  baseSha,
  mode,
  whyAll,
  counts,
  seconds,
})

function notesOf({ baseSha, mode, whyAll, tests, counts }: FoundSelection): string[] {
  const since = `since ${baseSha.slice(0, 12)}`
  if (mode === 'all') return [`All tests run, because ${whyAll}.`]
  if (tests.length === 0) return [`No test can notice what changed ${since}, so none runs.`]
  const cut = counts.cut === 0 ? '' : ` ${counts.cut} others are beyond the budget.`
  return [
    `${counts.selected} of ${counts.all} test files can notice what changed ${since}.${cut}`,
    ...tests.slice(0, maxReasons).map(({ file, reason }) => `${file} ${reasonText(reason)}`),
    ...(tests.length > maxReasons ? [`and ${tests.length - maxReasons} more`] : []),
  ]
}
