import { createHash } from 'node:crypto'
import type { CarriedFile } from '../../coverage/carry-over.ts'
import { caseRisks, maxSourceCases, type SourceCase } from '../../parsing/description/types.ts'
import type { TestCandidate, TestCase } from '../schema.ts'
import { wasRun } from './was-run.ts'

const maxCases = 12
/** Of all cases of a candidate as text: about 250 tokens. */
const maxCharacters = 1_000

/**
 * The cases of a candidate that no test runs, and those of which that is not known, the most risky first.
 *
 * @param found - in source order
 */
export function casesOf(
  { path, symbol }: Pick<TestCandidate, 'path' | 'symbol'>,
  found: readonly SourceCase[],
  measured: CarriedFile | undefined,
): Pick<TestCandidate, 'cases' | 'moreCases' | 'hasUncountedCases'> {
  const keyOf = caseKeys(path, symbol)
  const open = found
    .map((one) => ({ ...one, key: keyOf(one), covered: measured ? wasRun(one.run, measured) : null }))
    .filter(({ covered, risk }) => {
      if (covered !== null) return !covered
      // Only a measurement makes it worth reading that nothing happens, and every test runs the normal way.
      return risk !== 'normal' && !(risk === 'skipped' && measured)
    })
    .toSorted(
      (a, b) =>
        Number(a.covered === null) - Number(b.covered === null) ||
        caseRisks.indexOf(a.risk) - caseRisks.indexOf(b.risk) ||
        a.line - b.line,
    )
  const shown = open.slice(0, fitting(open))
  const cases = shown.map(({ key, line, condition, outcome, result, covered }): TestCase => {
    const notMeasured = measured && covered === null ? { notMeasured: true as const } : {}
    return { id: idOf(key), line, condition, outcome, ...(result !== undefined && { result }), covered, ...notMeasured }
  })
  const more = open.length - cases.length
  return {
    ...(cases.length > 0 && { cases }),
    ...(more > 0 && { moreCases: more }),
    ...(more > 0 && found.length >= maxSourceCases && { hasUncountedCases: true as const }),
  }
}

/** How many of the cases are shown: at least one. */
function fitting(cases: readonly SourceCase[]): number {
  let characters = 0
  for (const [index, { condition, outcome, result = '' }] of cases.slice(0, maxCases).entries()) {
    characters += condition.length + outcome.length + result.length + 12
    if (characters > maxCharacters) return Math.max(1, index)
  }
  return maxCases
}

/** What identifies a case. It does not depend on lines: cases that are equal but for their line are told apart by their order. */
function caseKeys(path: string, symbol: string): (one: SourceCase) => string {
  const counts = new Map<string, number>()
  return ({ condition, outcome }) => {
    const key = JSON.stringify([path, symbol, condition, outcome])
    const ordinal = counts.get(key) ?? 0
    counts.set(key, ordinal + 1)
    return `${key} ${ordinal}`
  }
}

/** Returns a function that finds the ids of the cases of a symbol, called for all of them in source order. */
export function caseIds(path: string, symbol: string): (one: SourceCase) => string {
  const keyOf = caseKeys(path, symbol)
  return (one) => idOf(keyOf(one))
}

const idOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 8)
