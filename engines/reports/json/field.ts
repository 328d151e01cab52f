import { ReportError, type ReportSource } from '../report.ts'

/** @throws ReportError `malformed` that names the path of the missing field */
export function needed<T>(value: T | undefined, source: ReportSource, path: string): T {
  if (value === undefined) throw new ReportError('malformed', source.name, `${path}: the field is missing`)
  return value
}

/** @throws ReportError `malformed` that names the path of an unknown word */
export function oneOf<T>(word: string, known: ReadonlyMap<string, T>, source: ReportSource, path: string): T {
  const meaning = known.get(word)
  if (meaning !== undefined) return meaning
  throw new ReportError('malformed', source.name, `${path}: "${word.slice(0, 50)}" is not a known value`)
}

/** Returns null for numbers that cannot be a line: reports write 0 for an unknown line. */
export const lineOrNull = (line: number | undefined): number | null =>
  line !== undefined && Number.isInteger(line) && line > 0 ? line : null

/** Returns null for numbers that cannot be a duration. */
export const durationOrNull = (ms: number | undefined): number | null =>
  ms !== undefined && ms >= 0 && Number.isFinite(ms) ? ms : null

export const textOrNull = (text: string | undefined): string | null =>
  text === undefined || text.trim() === '' ? null : text
