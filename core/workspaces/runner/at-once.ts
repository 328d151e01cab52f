import { availableParallelism } from 'node:os'

/** The minimum memory that is planned for a run. */
const minMemoryBytes = 256 * 2 ** 20

/** Returns how many runs fit into the memory limit of one run at the same time. */
export function howManyFit(memoryBytes: number, peakMemoryBytes: number | null): number {
  // Twice the measured memory, because other orders and mutants may need more.
  const fit = Math.floor(memoryBytes / Math.max(minMemoryBytes, 2 * (peakMemoryBytes ?? 0)))
  return Math.max(1, Math.min(availableParallelism(), fit))
}
