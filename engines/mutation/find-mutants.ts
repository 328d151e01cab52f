import type { Ranges } from '../coverage/ranges.ts'
import { readSource, type SourceFile } from '../parsing/source-file.ts'
import { taskAt, type TaskRunner, type TaskWork } from '../processes/tasks.ts'
import type { Mutant } from './mutant.ts'

export interface MutantsInput extends SourceFile {
  lines: Ranges
  /** Restricts the lines to those of covered statements, if coverage was measured. */
  covered?: { covered: Ranges; uncovered: Ranges }
}

export type MutantsWork = TaskWork<MutantsInput, Mutant[]>

const task = taskAt<MutantsWork>(new URL('mutants-task.ts', import.meta.url))

/**
 * Finds the mutants of the given lines of a source file, in source order. Returns an empty list for unsupported
 * languages, sources over 1 MiB and invalid syntax.
 */
export async function findMutants(runner: TaskRunner, input: MutantsInput): Promise<Mutant[]> {
  return (await readSource(runner, task, input)) ?? []
}
