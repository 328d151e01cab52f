import type { JudgedMutant } from '../schema.ts'

/** A small change of a source file; offsets are UTF-16 code units of its text. */
export interface Mutant extends JudgedMutant {
  start: number
  end: number
}

/** The source with the change made. */
export const applyMutant = (source: string, { start, end, replacement }: Mutant): string =>
  source.slice(0, start) + replacement + source.slice(end)
