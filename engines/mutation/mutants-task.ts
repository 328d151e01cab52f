import type { MutantsInput } from './find-mutants.ts'
import type { Mutant } from './mutant.ts'
import { mutantsOf } from './mutants-of.ts'
import { reachedLines } from './reached-lines.ts'
import { withoutRanges } from '../coverage/ranges.ts'

/** The task of `find-mutants.ts`. A source that the parser cannot handle has no mutants. */
export default ({ path, source, lines, covered }: MutantsInput): Promise<Mutant[]> =>
  mutantsOf(path, source, covered ? reachedOf(source, covered, lines) : lines).catch(() => [])

/** Adds the lines that continue the covered statements, within the given lines. */
function reachedOf(
  source: string,
  { covered, uncovered }: NonNullable<MutantsInput['covered']>,
  lines: MutantsInput['lines'],
) {
  const reached = reachedLines(source, covered, uncovered)
  return withoutRanges(reached, withoutRanges(reached, lines))
}
