import type { Found } from './schema.ts'

/** How well a record matches: an id or the beginning of a commit id, a name, the beginning of a name, or a part of it. */
export const ranks = { id: 0, name: 1, prefix: 2, part: 3 } as const

export interface Match extends Found {
  rank: number
}

/**
 * Returns an SQL condition: whether one of the expressions contains the text of the parameter `place`. All of them are in
 * lower case. Compares bytes like `containsText`, and converts the parameter once.
 */
export function containsAny(lowered: readonly string[], place: string): string {
  const wanted = `(SELECT convert_to(lower(${place}::text), 'UTF8'))`
  const conditions = lowered.map((expression) => `position(${wanted} IN convert_to(${expression}, 'UTF8')) > 0`)
  return `(${conditions.join(' OR ')})`
}

/** Returns an SQL expression for how well the best of the expressions in lower case matches the text of `place`. */
export function rankOf(lowered: readonly string[], place: string): string {
  const wanted = `(SELECT lower(${place}::text))`
  const some = (condition: (expression: string) => string) => lowered.map(condition).join(' OR ')
  return `CASE WHEN ${some((expression) => `${expression} = ${wanted}`)} THEN ${ranks.name}
               WHEN ${some((expression) => `starts_with(${expression}, ${wanted})`)} THEN ${ranks.prefix}
               ELSE ${ranks.part} END`
}

/** Does the same for text in memory; undefined if the text does not match. */
export function rankText(text: string, query: string): number | undefined {
  const [lower, wanted] = [text.toLowerCase(), query.toLowerCase()]
  if (lower === wanted) return ranks.name
  if (lower.startsWith(wanted)) return ranks.prefix
  return lower.includes(wanted) ? ranks.part : undefined
}

/**
 * Puts ids and names that match as a whole first. Among these, and among the others, kinds take turns, so that no kind
 * hides the others.
 *
 * @param kinds - the matches of each kind, best first
 */
export function inTurns(kinds: readonly (readonly Match[])[], limit: number): Match[] {
  const isWhole = ({ rank }: Match) => rank <= ranks.name
  const whole = takeTurns(kinds.map((matches) => matches.filter(isWhole)))
  const others = takeTurns(kinds.map((matches) => matches.filter((match) => !isWhole(match))))
  return [...whole.toSorted((a, b) => a.rank - b.rank), ...others].slice(0, limit)
}

function takeTurns(kinds: readonly (readonly Match[])[]): Match[] {
  const longest = Math.max(0, ...kinds.map((matches) => matches.length))
  return Array.from({ length: longest }, (_turn, index) => kinds.flatMap((matches) => matches[index] ?? [])).flat()
}
