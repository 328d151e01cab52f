import { taskAt, type TaskRunner, type TaskWork } from '../processes/tasks.ts'
import type { TreeEntry } from '../source/types.ts'
import type { PlanSettings } from '../test-plan/plan.ts'
import type { TestingPart } from '../test-plan/schema.ts'
import type { MeasuredReach, SelectionInput, TestSelection } from './types.ts'

/** How the process reads a state. */
export interface StateApartInput {
  /** The folder with the facts of analyses of the project; null for none. */
  directory: string | null
  settings: PlanSettings
  /** How the tests are run, if the caller knows. */
  parts?: readonly TestingPart[] | undefined
}

/** What the process does not read itself. */
export interface ChangeInput extends Pick<
  SelectionInput,
  'changes' | 'history' | 'alwaysRun' | 'budgetSeconds' | 'durations'
> {
  /** What tests were seen to run, as `reachToBytes` wrote it. */
  reach?: (Pick<MeasuredReach, 'commitSha' | 'changes'> & { record: Uint8Array }) | undefined
}

/** Asks for the contents of files, by position in the list of entries. Only reads the state if there is no change. */
export type SelectWork = TaskWork<
  { state: StateApartInput; change: ChangeInput | null },
  TestSelection | null,
  readonly number[],
  readonly (Uint8Array | null)[],
  readonly TreeEntry[]
>

/** Reads entries in their order; null for those that cannot be read. */
type ReadEntries = (entries: readonly TreeEntry[]) => Promise<readonly (Uint8Array | null)[]>

export const selectTask = taskAt<SelectWork>(new URL('select-task.ts', import.meta.url))

/**
 * Selects tests in another process, because it parses what strangers wrote. It reads the facts that analyses of the project
 * keep and adds those that are missing.
 *
 * @param entries - the files of the later state
 * @throws TaskFailure if a file cannot be read within the limits
 */
export async function selectApart(
  runner: TaskRunner,
  { directory, settings, parts, ...change }: StateApartInput & ChangeInput,
  entries: readonly TreeEntry[],
  read: ReadEntries,
): Promise<TestSelection> {
  const selected = await runTask(runner, { directory, settings, parts }, change, entries, read)
  if (selected === null) throw new TypeError('The task answered another question.')
  return selected
}

/**
 * Reads the state before the change is known. `selectApart` need not read it again if it is called with the same entries and
 * the same input soon, as the process keeps the state of its last task.
 *
 * @throws TaskFailure as `selectApart` does
 */
export async function prepareApart(
  runner: TaskRunner,
  state: StateApartInput,
  entries: readonly TreeEntry[],
  read: ReadEntries,
): Promise<void> {
  await runTask(runner, state, null, entries, read)
}

const runTask = (
  runner: TaskRunner,
  { directory, settings, parts }: StateApartInput,
  change: ChangeInput | null,
  entries: readonly TreeEntry[],
  read: ReadEntries,
) =>
  runner.run(
    selectTask,
    { state: { directory, settings, parts }, change },
    {
      shared: entries,
      isRepeatable: true,
      onAsk: (positions) => read(positions.flatMap((position) => entries[position] ?? [])),
    },
  )
