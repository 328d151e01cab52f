import type { Mutant } from '../../../engines/mutation/mutant.ts'
import { sampleMutants } from '../../../engines/mutation/sample-mutants.ts'

interface Sampled {
  mutants: readonly (Omit<Mutant, 'operator'> & { operator: string })[]
}

/** Takes the same number of mutants of every file, as far as there are so many. */
export function sampleOf<File extends Sampled>(files: readonly File[], count: number, seed: string): File[] {
  let left = Math.max(0, count)
  const ordered = files.toSorted((a, b) => a.mutants.length - b.mutants.length)
  return ordered.flatMap((file, index) => {
    const share = Math.min(file.mutants.length, Math.ceil(left / (ordered.length - index)))
    left -= share
    return share === 0 ? [] : [{ ...file, mutants: sampleMutants(file.mutants, share, seed) }]
  })
}
