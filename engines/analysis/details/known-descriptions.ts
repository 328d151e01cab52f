import type { SymbolPlace } from '../../parsing/description/types.ts'
import type { FileDescriptions, FileRecord } from '../types.ts'

/** Of all files together. Beyond it only those that the latest analysis used are kept. */
const maxKept = 1_000

/**
 * What the description of a place depends on besides the content of its file: the place itself, and those that share
 * lines with it, because a case belongs to the innermost place around it.
 *
 * @param places - of the file, in the order in which they are described
 */
export function descriptionKey(place: SymbolPlace, places: readonly SymbolPlace[]): string {
  const overlapping = places.filter(
    ({ startLine, endLine }) => startLine <= place.endLine && place.startLine <= endLine,
  )
  return JSON.stringify(
    overlapping.map((other) =>
      other === place ? [...linesOf(place), place.entry ? linesOf(place.entry) : null] : linesOf(other),
    ),
  )
}

const linesOf = ({ name, startLine, endLine }: SymbolPlace) => [name, startLine, endLine]

/**
 * Adds descriptions to the records of their files, so that the next analysis reads only files that changed. A record
 * without anything new stays the same object.
 *
 * @param used - what this analysis needed, by cache key
 */
export function keepDescriptions(
  records: Map<string, FileRecord>,
  used: ReadonlyMap<string, FileDescriptions>,
  max = maxKept,
): void {
  for (const [key, descriptions] of used) {
    const record = records.get(key)
    const known = record?.descriptions ?? {}
    if (!record || Object.keys(descriptions).every((place) => Object.hasOwn(known, place))) continue
    records.set(key, { ...record, descriptions: { ...known, ...descriptions } })
  }
  let kept = 0
  for (const { descriptions = {} } of records.values()) kept += Object.keys(descriptions).length
  if (kept <= max) return
  for (const [key, { descriptions, ...record }] of records) {
    const needed = used.get(key)
    if (descriptions) records.set(key, needed ? { ...record, descriptions: needed } : record)
  }
}
