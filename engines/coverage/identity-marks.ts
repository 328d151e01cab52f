import { randomInt } from 'node:crypto'
import { lineOfKey } from './identities.ts'

/**
 * Which branches or functions there are and which were reached, by their keys (`identityKey`). A table of numbers with
 * open addressing, each a key and one bit, because a large report has millions of them: a Map takes four times the
 * memory.
 */
export interface IdentityMarks {
  slots: Float64Array
  size: number
}

const empty = 0
const fewestSlots = 16
// Nobody who makes a report up can know which keys fall on one place.
const seed = randomInt(2 ** 30) * 2 + 1

export function createIdentityMarks(): IdentityMarks {
  return { slots: new Float64Array(fewestSlots), size: 0 }
}

/** @returns whether it was not there */
export function markIdentity(marks: IdentityMarks, key: number, covered: boolean): boolean {
  const at = placeOf(marks.slots, key)
  const value = marks.slots[at] ?? empty
  if (value !== empty) {
    if (covered && value % 2 === 0) marks.slots[at] = value + 1
    return false
  }
  marks.slots[at] = key * 2 + (covered ? 1 : 0)
  marks.size++
  if (marks.size * 3 > marks.slots.length * 2) grow(marks)
  return true
}

export function mergeIdentityMarks(into: IdentityMarks, from: IdentityMarks): void {
  for (const value of from.slots) if (value !== empty) markIdentity(into, Math.floor(value / 2), value % 2 === 1)
}

export function countIdentityMarks({ slots, size }: IdentityMarks): { covered: number; total: number } {
  let covered = 0
  for (const value of slots) if (value % 2 === 1) covered++
  return { covered, total: size }
}

/** How many of each line were reached, ascending, for lines with any. */
export function countCoveredByLine({ slots }: IdentityMarks): [line: number, count: number][] {
  const counts = new Map<number, number>()
  for (const value of slots) {
    if (value % 2 === 0) continue
    const line = lineOfKey(Math.floor(value / 2))
    counts.set(line, (counts.get(line) ?? 0) + 1)
  }
  return [...counts].toSorted(([a], [b]) => a - b)
}

function grow(marks: IdentityMarks): void {
  const slots = new Float64Array(marks.slots.length * 2)
  for (const value of marks.slots) if (value !== empty) slots[placeOf(slots, Math.floor(value / 2))] = value
  marks.slots = slots
}

/** Where the key is, or would be. */
function placeOf(slots: Float64Array, key: number): number {
  const last = slots.length - 1
  let hash = Math.imul((key % 2 ** 32) | 0, seed)
  hash = Math.imul((hash ^ (hash >>> 15)) + Math.floor(key / 2 ** 32), seed)
  let at = (hash ^ (hash >>> 13)) & last
  for (let value = slots[at] ?? empty; value !== empty && Math.floor(value / 2) !== key; value = slots[at] ?? empty)
    at = (at + 1) & last
  return at
}
