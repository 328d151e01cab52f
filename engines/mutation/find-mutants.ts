import { fileURLToPath } from 'node:url'
import type { Ranges } from '../coverage/ranges.ts'
import { readApart, type Reading } from '../parsing/read-apart.ts'
import type { Mutant } from './mutant.ts'

export interface MutantsReading extends Reading {
  lines: Ranges
}

const program = fileURLToPath(new URL('mutants-process.ts', import.meta.url))

/**
 * Finds the mutants of the given lines of a source file, in source order. Returns an empty list for unsupported
 * languages, sources over 1 MiB and invalid syntax. Reads the source in a child process.
 */
export async function findMutants(path: string, source: string, lines: Ranges): Promise<Mutant[]> {
  const reading: MutantsReading = { path, source, lines }
  return (await readApart<Mutant[]>(program, reading)) ?? []
}
