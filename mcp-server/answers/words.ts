/** One line of an answer; what is falsy is left out. */
export type Line = string | false | null | undefined

export const isLine = (line: Line): line is string => Boolean(line)

/** The parts of a line that lists one item. */
export const row = (...parts: readonly Line[]) => parts.filter(isLine).join(' | ')

/** What belongs together within a part. */
export const joined = (separator: string, ...parts: readonly Line[]) => parts.filter(isLine).join(separator)

export const counted = (count: number, one: string, several = `${one}s`) => `${count} ${count === 1 ? one : several}`

/** The headline of a list. */
export const listHead = ({ total }: { total: number }, shown: readonly unknown[], one: string, several?: string) =>
  `${counted(total, one, several)}${shown.length < total ? `, ${shown.length} shown` : ''}.`
