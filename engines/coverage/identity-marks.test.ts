import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countIdentityMarks, type IdentityMarks, markIdentity, mergeIdentityMarks } from './identity-marks.ts'

const someMarks = fc.array(
  fc.tuple(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 2 ** 42 - 1 })), fc.boolean()),
  { maxLength: 300 },
)

test('keeps a key covered that either side covers', () => {
  fc.assert(
    fc.property(someMarks, someMarks, (first, second) => {
      const expected = new Map<number, boolean>()
      for (const [key, covered] of [...first, ...second]) expected.set(key, covered || expected.get(key) === true)
      const marks = marksOf(first)
      mergeIdentityMarks(marks, marksOf(second))
      const covered = [...expected.values()].filter(Boolean).length
      expect(countIdentityMarks(marks)).toEqual({ covered, total: expected.size })
      for (const key of expected.keys()) expect(markIdentity(marks, key, false)).toBe(false)
    }),
  )
})

// If the time grew with the square of the keys, the test would time out.
test('marks many keys that are alike', () => {
  const marks: IdentityMarks = new Map()
  for (let line = 1; line <= 300_000; line++) markIdentity(marks, line * 2 ** 21 + 1, true)
  expect(countIdentityMarks(marks).total).toBe(300_000)
})

function marksOf(entries: readonly (readonly [number, boolean])[]): IdentityMarks {
  const marks: IdentityMarks = new Map()
  for (const [key, covered] of entries) markIdentity(marks, key, covered)
  return marks
}
