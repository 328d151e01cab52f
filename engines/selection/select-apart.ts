import { taskAt, type TaskRunner, type TaskWork } from '../processes/tasks.ts'
import type { TreeEntry } from '../source/types.ts'
import type { PlanSettings } from '../test-plan/plan.ts'
import type { TestingPart } from '../test-plan/schema.ts'
import type { MeasuredReach, SelectionInput, TestSelection } from './types.ts'

/** What the process does not read itself. */
export interface SelectApartInput extends Pick<
  SelectionInput,
  'changes' | 'history' | 'alwaysRun' | 'budgetSeconds' | 'durations'
> {
  /** What tests were seen to run, as `reachToBytes` wrote it. */
  reach?: (Pick<MeasuredReach, 'commitSha' | 'changes'> & { record: Uint8Array }) | undefined
  /** The folder with the facts of analyses of the project; null for none. */
  directory: string | null
  settings: PlanSettings
  /** How the tests are run, if the caller knows. */
  parts?: readonly TestingPart[] | undefined
}

/** Asks for the contents of files, by position in the list of entries. */
export type SelectWork = TaskWork<
  SelectApartInput,
  TestSelection,
  readonly number[],
  readonly (Uint8Array | null)[],
  readonly TreeEntry[]
>

export const selectTask = taskAt<SelectWork>(new URL('select-task.ts', import.meta.url))

/**
 * Selects tests in another process, because it parses what strangers wrote. It reads the facts that analyses of the project
 * keep and adds those that are missing.
 *
 * @param entries - the files of the later state
 * @throws TaskFailure if a file cannot be read within the limits
 */
export const selectApart = (
  runner: TaskRunner,
  input: SelectApartInput,
  entries: readonly TreeEntry[],
  read: (entries: readonly TreeEntry[]) => Promise<readonly (Uint8Array | null)[]>,
): Promise<TestSelection> =>
  runner.run(selectTask, input, {
    shared: entries,
    isRepeatable: true,
    onAsk: (positions) => read(positions.flatMap((position) => entries[position] ?? [])),
  })
