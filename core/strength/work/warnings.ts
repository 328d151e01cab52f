import type { Tally } from '../../../engines/strength/tally.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import { runnersOf } from './failures.ts'
import type { SwitchedProgram } from './find-mutants.ts'
import type { Sample } from './sample.ts'

const maxNamed = 3

/** Returns what readers should know about the code that is measured. */
export function warningsOfCode({
  program: { unsupported, leftFiles },
  left,
  longFunctions,
  others,
}: {
  program: Pick<SwitchedProgram, 'unsupported' | 'leftFiles'>
  /** How many files were not read. */
  left: number
  /** How many mutants have no place in the sources. */
  longFunctions: number
  /** The parts without a driver. */
  others: readonly PlanPart[]
}): string[] {
  const warnings: string[] = []
  if (others.length > 0) {
    warnings.push(
      `The tests of ${named(
        others.map((part) => `${runnersOf([part])} in ${part.directory || 'the root'}`),
        others.length,
      )} do not count, because Assay cannot keep these runners loaded while it tries changes. They may notice what the others accept.`,
    )
  }
  if (leftFiles + left > 0) {
    warnings.push(
      `${leftFiles + left === 1 ? '1 file with code was' : `${leftFiles + left} files with code were`} left out or tried in part, because there are too many changes for one measurement. Name paths to measure them.`,
    )
  }
  if (longFunctions > 0) {
    warnings.push(
      `${longFunctions === 1 ? '1 change of a very long function has' : `${longFunctions} changes of very long functions have`} to wait for the next call, because all of them at once would make the code too long to load.`,
    )
  }
  if (unsupported.length > 0) {
    warnings.push(
      `Assay cannot try all changes of these files, because they are too large, or the code is not in a function: ${named(unsupported, unsupported.length)}.`,
    )
  }
  return warnings
}

/** Returns what readers should know about the result. */
export function warningsOf({ errors }: Tally, { tried, disagreed, doubtful }: Omit<Sample, 'isWhole'>): string[] {
  const warnings = [...errors]
  if (doubtful.length === 0 && disagreed > 0) {
    warnings.push(`${disagreed} of ${tried} results were different in fresh processes. What these say counts.`)
  }
  if (doubtful.length > 0) {
    warnings.push(
      `${disagreed} of ${tried} results were different in fresh processes, so that other results of these test files count only if a fresh process has them, too: ${named(doubtful, doubtful.length)}. Their tests may depend on what other tests leave behind, or run code in other processes.`,
    )
  }
  return warnings
}

function named(names: readonly string[], count: number): string {
  const shown = names.slice(0, maxNamed)
  return `${shown.join(', ')}${count > shown.length ? ` and ${count - shown.length} more` : ''}`
}
