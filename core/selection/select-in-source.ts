import { join } from 'node:path'
import { TaskFailure, type TaskRunner } from '../../engines/processes/tasks.ts'
import {
  type ChangeInput,
  prepareApart,
  selectApart,
  selectTask,
  type StateApartInput,
} from '../../engines/selection/select-apart.ts'
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
  for (const facts of loading) facts.catch(() => undefined)
  return withSource(ctx, project, { ...ref, historyCommits, comparedWith: wanted.base }, (source) =>
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
  const runner = engineRunner(ctx, lane, ownerOf(project))
  const [settings, ...facts] = loading
  const stateInput = settings.then((loaded) => ({
    directory: cacheOf(ctx, project),
    settings: planSettingsOf(loaded),
  }))
  // Does not need the change, and takes as long as finding it.
  const preparing = stateInput.then((input) =>
    prepareApart(runner, input, source.entries, (wanted) => source.readEntries(wanted)),
  )
  const comparing = changesFromBase(source, base)
  await Promise.allSettled([preparing, comparing, ...facts])
  const [{ baseSha, changes }, policy, known, reach] = await Promise.all([comparing, ...facts])
  const change = {
    changes,
    alwaysRun: policy.alwaysRun,
    reach: await withChanges(source, reach),
    budgetSeconds,
    ...known,
  }
  const selected = await orAll(ctx, project, async () => {
    await preparing
    return select(runner, source, { ...(await stateInput), ...change })
  })
  return { ...selected, baseSha, headSha: source.commitSha }
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
  const { mode, tests } = await orAll(ctx, project, () => select(runner, source, input))
  return mode === 'all' ? null : tests.map(({ file }) => file)
}

const select = (runner: TaskRunner, source: Readable, input: StateApartInput & ChangeInput) =>
  selectApart(runner, input, source.entries, (wanted) => source.readEntries(wanted))

async function orAll(
  ctx: Pick<Context, 'log'>,
  { id }: Project,
  selecting: () => Promise<TestSelection>,
): Promise<TestSelection> {
  try {
    return await selecting()
  } catch (error) {
    if (!(error instanceof TaskFailure) || error.reason === 'lost') throw error
    ctx.log.warn({ err: error, projectId: id }, 'cannot select tests')
    return allTests(error.message)
  }
}

const cacheOf = ({ config }: Pick<Context, 'config'>, { id }: Project) => join(cacheDirectory(config, id), 'selection')

/** Loads what a project says of its tests, and what earlier runs say. */
const loadFacts = (ctx: Context, { id }: Project, { exceptRun }: Wanted) =>
  [
    loadProjectSettings(ctx, id),
    loadSelectionPolicy(ctx, id),
    loadKnownTests(ctx, id, exceptRun),
    loadReach(ctx, id),
  ] as const

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
