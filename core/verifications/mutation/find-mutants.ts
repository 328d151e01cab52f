import type { Ranges } from '../../test-runs/coverage/ranges.ts'
import { readApart } from '../syntax/read-apart.ts'
import type { Mutant } from './mutant.ts'

/**
 * The small changes that can be made to the given lines of a source file, in source order. Empty for languages without
 * operators, for sources over 1 MiB, and for what cannot be parsed. The source is read in a process of its own.
 */
export async function findMutants(path: string, source: string, lines: Ranges): Promise<Mutant[]> {
  const read = await readApart({ find: 'mutants', path, source, lines })
  return read?.mutants ?? []
}
