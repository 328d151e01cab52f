import { type Ranges, withoutRanges } from '../../../engines/coverage/ranges.ts'
import { findMutants } from '../../../engines/mutation/find-mutants.ts'
import type { Mutant } from '../../../engines/mutation/mutant.ts'
import { kindOfFile } from '../../../engines/verdicts/change/changed-files.ts'
import { codeReached, linesReached, newLinesOf } from '../../../engines/verdicts/coverage-gain.ts'
import type { Measured } from '../../../engines/verdicts/outcome.ts'
import type { CoverageGain, VerificationTarget } from '../../../engines/verdicts/schema.ts'
import type { WantedTarget } from './target.ts'
import type { Task } from './task.ts'

/** The mutants that a test can notice, and the sources that they change. */
export interface ReachedMutants {
  mutants: Mutant[]
  /** Those of other code than that of a suggestion. Null if all code counts, or only the target. */
  beside: Mutant[] | null
  sources: ReadonlyMap<string, string>
  /** If there are none: the number of mutants in lines of the target that the test does not cover. */
  passedBy: number
}

/** More files are not searched. */
const maxFiles = 200
const everything: Ranges = [[1, Number.MAX_SAFE_INTEGER]]

/**
 * Finds the mutants of the code that a test reaches: of its target, if the caller named one, and else of all code of the
 * project, of which only that of a suggestion decides. For a test that changes a committed file: of lines of the target that only it covers, if there are such lines.
 *
 * @returns null if the target cannot be read
 */
export async function mutantsReached(
  { runner, workspace }: Task,
  target: WantedTarget,
  coverage: Measured | null,
  gain: CoverageGain | null,
): Promise<ReachedMutants | null> {
  const source = await workspace.read(target.path)
  if (source === null) return null
  const newLines = workspace.original && gain ? newLinesOf(gain) : []
  const input = { path: target.path, source, lines: newLines.length > 0 ? newLines : linesOf(target) }
  const find = (path: string, text: string, lines: Ranges) =>
    findMutants(runner, { path, source: text, lines, ...(coverage && { covered: coveredOf(coverage, path) }) })
  const isNarrow = coverage === null || target.reach === 'target' || workspace.original !== null
  const isSuggested = !isNarrow && target.reach === 'suggested'
  const sources = new Map([[target.path, source]])
  const mutants = await find(target.path, source, isNarrow || isSuggested ? input.lines : everything)
  const others = isSuggested ? await find(target.path, source, withoutRanges(everything, input.lines)) : []
  if (!isNarrow) {
    for (const path of otherCode(coverage, [target.path, workspace.test.path])) {
      const text = await workspace.read(path)
      if (text === null) continue
      sources.set(path, text)
      others.push(...(await find(path, text, everything)))
    }
  }
  if (!isSuggested) mutants.push(...others)
  const passedBy = mutants.length + newLines.length > 0 ? 0 : (await findMutants(runner, input)).length
  return { mutants, beside: isSuggested ? others : null, sources, passedBy }
}

/** The other files of code of which the test covers lines. */
const otherCode = ({ files }: Measured, known: readonly string[]) =>
  Object.keys(files)
    .filter((path) => files[path]?.covered !== '' && kindOfFile(path) === 'code' && !known.includes(path))
    .toSorted()
    .slice(0, maxFiles)

/** Returns what the test reaches of a file, and what it does not. */
const coveredOf = (coverage: Measured, path: string) => ({
  ...codeReached(coverage.files[path]),
  covered: linesReached(coverage, { path }),
})

const linesOf = ({ startLine, endLine }: VerificationTarget): Ranges =>
  startLine === undefined ? everything : [[startLine, Math.max(startLine, endLine ?? startLine)]]
