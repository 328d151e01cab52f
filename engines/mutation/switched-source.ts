import { readSource, type SourceFile } from '../parsing/source-file.ts'
import { taskAt, type TaskRunner, type TaskWork } from '../processes/tasks.ts'
import type { Mutant } from './mutant.ts'

export interface NumberedMutant {
  /** Positive, and used once in a program. */
  id: number
  mutant: Mutant
}

/** A source with many mutants, one of which can be chosen while the program runs. */
export interface SwitchedSource {
  source: string
  /**
   * The probe that reports that the code of a mutant is about to run, by the id of the mutant. Mutants of one statement
   * share a probe. A mutant without a probe is not in the source.
   */
  probes: ReadonlyMap<number, number>
  /**
   * The functions and expressions with mutants. A function reports its marker whenever it is called, an expression one of
   * its probes.
   */
  hosts: readonly { start: number; end: number; marker: number }[]
  /** Mutants that are not in the source although they have a probe, because the copies of their function are too long. */
  left: readonly number[]
}

/** What a file with these mutants reports when it is loaded: like all markers negative, so that it differs from all probes. */
export const markerOfFile = (mutants: readonly NumberedMutant[]) => -2 * Math.min(...mutants.map(({ id }) => id))

export interface SwitchInput extends SourceFile {
  /** Best first. */
  mutants: readonly NumberedMutant[]
  /** The ids of mutants that need no copy, because nobody wants to choose them. */
  without?: readonly number[]
}

export type SwitchWork = TaskWork<SwitchInput, SwitchedSource | null>

const task = taskAt<SwitchWork>(new URL('switch-task.ts', import.meta.url))

/**
 * Puts mutants of a source file into one source. Returns null for languages and sources in which nothing can be chosen
 * while the program runs.
 */
export async function switchMutants(runner: TaskRunner, input: SwitchInput): Promise<SwitchedSource | null> {
  return (await readSource(runner, task, input)) ?? null
}
