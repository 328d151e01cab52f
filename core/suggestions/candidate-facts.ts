import { storable } from '../base/repository-path.ts'
import type { Suggestion } from '../ai/schema.ts'
import type { TestCandidate } from '../../engines/analysis/schema.ts'

const maxCases = 20
const maxTextLength = 2_000

/** Finds the candidate of the analysis that a suggestion is for. */
export type FindCandidate = (suggestion: Pick<Suggestion, 'file_path' | 'target'>) => TestCandidate | undefined

export function candidateFinder(candidates: readonly TestCandidate[]): FindCandidate {
  const byCode = Map.groupBy(candidates, ({ path, symbol }) => codeOf(path, symbol))
  return ({ file_path: path, target }) => {
    const alike = target ? (byCode.get(codeOf(path, target.symbol)) ?? []) : []
    return alike.find(({ startLine }) => startLine === target?.startLine) ?? alike[0]
  }
}

const codeOf = (path: string, symbol: string) => JSON.stringify([path, symbol])

export type CandidateFacts = Pick<
  Suggestion,
  'case_ids' | 'cases' | 'moreCases' | 'hasUncountedCases' | 'unnoticed' | 'brief' | 'through'
>

/**
 * Returns what the analysis knows about the code of a suggestion. Of the AI service's answer only the choice of cases
 * counts, as far as the candidate has them and no test runs them.
 */
export function factsFor(candidate: TestCandidate | undefined, chosen: readonly string[] = []): CandidateFacts {
  if (!candidate) return {}
  const { cases = [], moreCases = 0, hasUncountedCases, strength, brief, through } = candidate
  const { survivors: unnoticed = [] } = strength ?? {}
  const open = cases.filter(({ covered }) => covered !== true)
  const wanted = new Set(chosen)
  const named = open.filter(({ id }) => wanted.has(id)).slice(0, maxCases)
  const shown = named.length > 0 ? named : open.slice(0, maxCases)
  const more = open.length - shown.length + moreCases
  return storableTexts({
    ...(named.length > 0 ? { case_ids: named.map(({ id }) => id) } : {}),
    ...(shown.length > 0 ? { cases: shown } : {}),
    ...(more > 0 ? { moreCases: more } : {}),
    ...(more > 0 && hasUncountedCases ? { hasUncountedCases } : {}),
    ...(unnoticed.length > 0 ? { unnoticed } : {}),
    ...(brief ? { brief } : {}),
    ...(through ? { through } : {}),
  })
}

/** Whether a test can still gain something: false if tests run all cases and all lines, and notice all changes that were tried. */
export const hasOpenCode = ({ cases = [], moreCases = 0, uncovered = [], strength }: TestCandidate): boolean =>
  (strength?.survived ?? 0) > 0 ||
  cases.length === 0 ||
  moreCases > 0 ||
  uncovered.length > 0 ||
  cases.some(({ covered }) => covered !== true)

/** Makes every text of plain data storable. */
function storableTexts<Data>(data: Data): Data {
  if (typeof data === 'string') return storable(data, maxTextLength) as Data
  if (Array.isArray(data)) return data.map(storableTexts) as Data
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, storableTexts(value)])) as Data
}
