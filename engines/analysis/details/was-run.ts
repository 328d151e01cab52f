import type { CarriedFile } from '../../coverage/carry-over.ts'
import type { LineBranches } from '../../coverage/coverage.ts'
import { hasLine } from '../../coverage/ranges.ts'
import type { RunEvidence } from '../../parsing/description/types.ts'

/** Whether the tests ran a case, by what was measured; null where that does not tell. */
export function wasRun(run: RunEvidence, file: CarriedFile): boolean | null {
  const { at, only, other, isShared, counted, isAlone } = run
  const here = lineRan(at, file)
  if (here === null && isChanged(at, file)) return null
  if (here === false) return false
  const own = only && statementsRan(only, file)
  if (own === false) return false
  if (own === true) return isShared ? null : true
  const others = other && statementsRan(other, file)
  // Code that ran, and did not go the other way, went this way.
  if (here === true && others === false) return true
  if (here !== true || only) return null
  if (counted === 'never' || file.partialBranches === null) return null
  const partial = branchesAt(at, file)
  if (!partial) return counted === 'always' ? true : null
  const { taken, total } = partial
  if (isAlone && others === true && (total === 2 ? taken === 1 : taken === 0 && counted === 'always')) return false
  return null
}

/** Whether the statements of a branch ran: the first that was measured tells. */
function statementsRan(lines: readonly number[], file: CarriedFile): boolean | null {
  for (const line of lines) {
    const ran = lineRan(line, file)
    if (ran === null) continue
    // Some tools count a line as run that starts with the spaces before a branch that was not taken.
    return ran && branchesAt(line, file)?.taken !== 0
  }
  return null
}

function lineRan(line: number, { covered, uncovered }: CarriedFile): boolean | null {
  if (hasLine(covered, line)) return true
  return hasLine(uncovered, line) ? false : null
}

const isChanged = (line: number, { changed }: CarriedFile): boolean => hasLine(changed, line)

const branchesAt = (line: number, { partialBranches }: CarriedFile): LineBranches | undefined =>
  partialBranches?.find((one) => one.line === line)
