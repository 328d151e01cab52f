import type { LineBranches } from '../coverage/coverage.ts'
import type { Ranges } from '../coverage/ranges.ts'
import { readSource, type SourceFile } from '../parsing/source-file.ts'
import { taskAt, type TaskRunner, type TaskWork } from '../processes/tasks.ts'
import type { Mutant } from './mutant.ts'

export interface MutantsInput extends SourceFile {
  lines: Ranges
  /**
   * Restricts the mutants to covered code, if coverage was measured: to lines of covered statements, without functions
   * that begin on an uncalled line, and defaults of parameters for which `partial` says that no call needed them.
   */
  covered?: {
    covered: Ranges
    uncovered: Ranges
    uncalled?: Ranges
    partial?: readonly LineBranches[]
  }
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
