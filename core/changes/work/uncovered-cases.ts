import { clipRanges, countRanges, parseRanges } from '../../../engines/coverage/ranges.ts'
import { caseRisks } from '../../../engines/parsing/description/types.ts'
import type { TaskRunner } from '../../../engines/processes/tasks.ts'
import { textOfCase } from '../../../engines/strength/case-words.ts'
import { readPlaces } from '../../../engines/strength/code-places.ts'
import type { ChangeFacts, UncoveredCase } from '../../../engines/verdicts/change/facts.ts'
import type { Measured } from '../../../engines/verdicts/outcome.ts'
import type { FetchedHead } from './fetch-sides.ts'

/** Of the files with most uncovered lines of the change. The evidence shows no cases of more. */
const maxFiles = 20

/**
 * Returns a function that reads the cases of files with changed lines that no test runs, the most risky first. It reads
 * each file once, because a provisional verdict and the final one need the same cases.
 */
export function uncoveredCases(
  runner: TaskRunner,
  { files, sources }: Pick<FetchedHead, 'files' | 'sources'>,
): (coverage: Measured | null) => Promise<ChangeFacts['cases']> {
  const known = new Map<string, readonly UncoveredCase[]>()
  return async (coverage) => {
    const missed = files.flatMap(({ path, kind, lines }) => {
      const uncovered = kind === 'code' && coverage && Object.hasOwn(coverage.files, path) && coverage.files[path]
      const ranges = uncovered ? parseRanges(uncovered.uncovered) : []
      const count = lines.reduce((sum, [first, last]) => sum + countRanges(clipRanges(ranges, first, last)), 0)
      return count === 0 ? [] : { path, count }
    })
    for (const { path } of missed.toSorted((a, b) => b.count - a.count).slice(0, maxFiles)) {
      const source = sources.get(path)
      if (source === undefined || known.has(path)) continue
      const { cases } = await readPlaces(runner, { path, source, withCases: true })
      known.set(
        path,
        cases
          .toSorted((a, b) => caseRisks.indexOf(a.risk) - caseRisks.indexOf(b.risk) || a.line - b.line)
          .map((one) => ({ line: one.line, only: one.only, text: textOfCase(one) })),
      )
    }
    return known
  }
}
