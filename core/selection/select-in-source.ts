import { join } from 'node:path'
import { TaskFailure, type TaskRunner } from '../../engines/processes/tasks.ts'
import { selectApart, type SelectApartInput, selectTask } from '../../engines/selection/select-apart.ts'
import type { TestSelection } from '../../engines/selection/types.ts'
import type { Changes } from '../../engines/source/types.ts'
import { planSettingsOf } from '../../engines/test-plan/plan.ts'
import { engineRunner } from '../base/engines.ts'
import type { Context } from '../base/context.ts'
import type { ProjectRow } from '../projects/entity.ts'
import { ownerOf } from '../projects/owner.ts'
import type { ProjectSettings } from '../projects/schema.ts'
import { loadProjectSettings } from '../projects/settings.ts'
import { cacheDirectory } from '../workspaces/cache-directory.ts'
import { changesFromBase, historyCommits } from '../workspaces/compare-with-base.ts'
import { type OpenedSource, type SourceRef, withSource } from '../workspaces/source.ts'
import { loadKnownTests } from './known-tests.ts'
import { loadSelectionPolicy } from './load-policy.ts'
import { loadReach, withChanges } from './reach.ts'

type Project = Omit<ProjectRow, 'settings'>
type Readable = Pick<OpenedSource, 'entries' | 'readEntries'>

export interface FoundSelection extends TestSelection {
  baseSha: string
  headSha: string
}

interface Wanted {
  lane: 'interactive' | 'background'
  /** A branch, tag or commit to compare with. */
  base: string
  budgetSeconds?: number | undefined
  /** A run that does not count as an earlier one. */
  exceptRun?: string
}

/**
 * Opens a state and selects the tests that can notice what it changes.
 *
 * @throws RunFailure if the state cannot be fetched
 * @throws RepositoryError if the base is not found or has nothing in common with the state
 */
export async function selectIn(
  ctx: Context,
  project: Project,
  ref: SourceRef,
  wanted: Wanted,
): Promise<FoundSelection> {
  // Both take as long as fetching a commit that is known.
  engineRunner(ctx, wanted.lane, ownerOf(project)).warm(selectTask)
  const loading = loadFacts(ctx, project, wanted)
  loading.catch(() => undefined)
  return withSource(ctx, project, { ...ref, historyCommits }, (source) =>
    selectInSource(ctx, project, source, wanted, loading),
  )
}

/**
 * Selects the tests that can notice what a commit changes. `source` was opened with `historyCommits`.
 *
 * @throws RepositoryError if the base is not found or has nothing in common with the commit
 */
export async function selectInSource(
  ctx: Context,
  project: Project,
  source: OpenedSource,
  wanted: Wanted,
  loading = loadFacts(ctx, project, wanted),
): Promise<FoundSelection> {
  const { lane, base, budgetSeconds } = wanted
  const [{ baseSha, changes }, [settings, policy, known, reach]] = await Promise.all([
    changesFromBase(source, base),
    loading,
  ])
  const input = {
    directory: cacheOf(ctx, project),
    settings: planSettingsOf(settings),
    changes,
    alwaysRun: policy.alwaysRun,
    reach: await withChanges(source, reach),
    budgetSeconds,
    ...known,
  }
  const runner = engineRunner(ctx, lane, ownerOf(project))
  return { ...(await selectOrAll(ctx, project, source, runner, input)), baseSha, headSha: source.commitSha }
}

/**
 * Returns the test files that can notice changes of a state, whatever earlier runs say; null for all.
 *
 * @param source - the later state
 */
export async function testsNoticing(
  ctx: Pick<Context, 'config' | 'log'>,
  project: Project,
  source: Readable,
  { changes, settings, runner }: { changes: Changes; settings: ProjectSettings; runner: TaskRunner },
): Promise<readonly string[] | null> {
  const input = { directory: cacheOf(ctx, project), settings: planSettingsOf(settings), changes }
  const { mode, tests } = await selectOrAll(ctx, project, source, runner, input)
  return mode === 'all' ? null : tests.map(({ file }) => file)
}

async function selectOrAll(
  ctx: Pick<Context, 'log'>,
  { id }: Project,
  source: Readable,
  runner: TaskRunner,
  input: SelectApartInput,
): Promise<TestSelection> {
  try {
    return await selectApart(runner, input, source.entries, (wanted) => source.readEntries(wanted))
  } catch (error) {
    if (!(error instanceof TaskFailure) || error.reason === 'lost') throw error
    ctx.log.warn({ err: error, projectId: id }, 'cannot select tests')
    return allTests(error.message)
  }
}

const cacheOf = ({ config }: Pick<Context, 'config'>, { id }: Project) => join(cacheDirectory(config, id), 'selection')

/** Loads what a project says of its tests, and what earlier runs say. */
const loadFacts = (ctx: Context, { id }: Project, { exceptRun }: Wanted) =>
  Promise.all([
    loadProjectSettings(ctx, id),
    loadSelectionPolicy(ctx, id),
    loadKnownTests(ctx, id, exceptRun),
    loadReach(ctx, id),
  ])

/** Where files cannot be understood within the limits, nothing is left out. */
const allTests = (why: string): TestSelection => ({
  mode: 'all',
  whyAll: `the repository cannot be examined: ${why}`,
  tests: [],
  skipped: [],
  counts: { all: 0, selected: 0, skipped: 0, cut: 0 },
  seconds: { all: 0, selected: 0 },
  measuredShare: null,
})
