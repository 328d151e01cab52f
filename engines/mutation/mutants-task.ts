import type { MutantsInput, MutantsWork } from './find-mutants.ts'
import { mutantsOf } from './mutants-of.ts'
import { reachedLines } from './reached-lines.ts'
import { withoutRanges } from '../coverage/ranges.ts'

/** The task of `findMutants`. A source that the parser cannot handle has no mutants. */
const work: MutantsWork = ({ path, source, lines, covered }) =>
  mutantsOf(path, source, covered ? reachedOf(source, covered, lines) : lines, covered).catch(() => [])

export default work

/** Adds the lines that continue the covered statements, within the given lines. */
function reachedOf(
  source: string,
  { covered, uncovered }: NonNullable<MutantsInput['covered']>,
  lines: MutantsInput['lines'],
) {
  const reached = reachedLines(source, covered, uncovered)
  return withoutRanges(reached, withoutRanges(reached, lines))
}
