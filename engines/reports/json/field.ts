import { ReportError, type ReportSource } from '../report.ts'

/** @throws ReportError `malformed` naming the path of what is missing */
export function needed<T>(value: T | undefined, source: ReportSource, path: string): T {
  if (value === undefined) throw new ReportError('malformed', source.name, `${path}: the field is missing`)
  return value
}

/** @throws ReportError `malformed` naming the path of a word that none of the known ones is */
export function oneOf<T>(word: string, known: ReadonlyMap<string, T>, source: ReportSource, path: string): T {
  const meaning = known.get(word)
  if (meaning !== undefined) return meaning
  throw new ReportError('malformed', source.name, `${path}: "${word.slice(0, 50)}" is not a known value`)
}

/** Only what can be a line, since reports count from 0 where they do not know. */
export const lineOrNull = (line: number | undefined): number | null =>
  line !== undefined && Number.isInteger(line) && line > 0 ? line : null

/** Only what can be a time. */
export const durationOrNull = (ms: number | undefined): number | null =>
  ms !== undefined && ms >= 0 && Number.isFinite(ms) ? ms : null

export const textOrNull = (text: string | undefined): string | null =>
  text === undefined || text.trim() === '' ? null : text
