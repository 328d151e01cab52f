import type { CarriedFile } from '../../coverage/carry-over.ts'
import type { LineBranches } from '../../coverage/coverage.ts'
import { hasLine } from '../../coverage/ranges.ts'
import type { RunEvidence } from '../../parsing/description/types.ts'

/** Whether the tests ran a case, by what was measured; null where that does not tell. */
export function wasRun(run: RunEvidence, file: CarriedFile): boolean | null {
  const here = lineRan(run.at, file)
  if (here === false) return false
  const own = run.only && statementsRan(run.only, run.isBare === true, file)
  if (own === false) return false
  if (own === true) return run.isShared ? null : true
  if (here === null) return null
  const others = run.other && statementsRan(run.other, false, file)
  // Code that ran, and did not go the other way, went this way.
  if (others === false) return true
  return run.only ? null : byBranches(run, others, file)
}

/** What the counts of the line's branches tell. They are known for the whole line only. */
function byBranches(
  { at, counted, isAlone, isPlain, isOperand }: RunEvidence,
  others: boolean | null | undefined,
  file: CarriedFile,
): boolean | null {
  if (counted === 'never' || file.partialBranches === null) return null
  const partial = branchesAt(at, file)
  if (!partial) return counted === 'always' ? true : null
  const { taken, total } = partial
  const isOneOfTwo = isAlone && total === 2 && taken === 1
  if (isOperand) return taken === 0 || isOneOfTwo ? false : null
  // The other way was taken, so that the one that is missing is this one.
  if (!isPlain || others !== true) return null
  return isOneOfTwo || (taken === 0 && counted === 'always') ? false : null
}

/** Whether the statements of a branch ran: the first that was measured tells. */
function statementsRan(lines: readonly number[], isBare: boolean, file: CarriedFile): boolean | null {
  for (const line of lines) {
    const ran = lineRan(line, file)
    if (ran !== null) return ran && !(isBare && branchesAt(line, file)?.taken === 0)
  }
  return null
}

function lineRan(line: number, { covered, uncovered }: CarriedFile): boolean | null {
  if (hasLine(covered, line)) return true
  return hasLine(uncovered, line) ? false : null
}

const branchesAt = (line: number, { partialBranches }: CarriedFile): LineBranches | undefined =>
  partialBranches?.find((one) => one.line === line)
