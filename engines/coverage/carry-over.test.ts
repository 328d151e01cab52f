import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Hunk } from '../source/types.ts'
import { carryCoverage, type MeasuredFile, moveRanges } from './carry-over.ts'
import type { Ranges } from './ranges.ts'

const insertion = (after: number, newStart: number, lines: number): Hunk => ({
  oldStart: after,
  oldLines: 0,
  newStart,
  newLines: lines,
})
const file = (covered: Ranges, uncovered: Ranges): MeasuredFile => ({ covered, uncovered, partialBranches: null })
const nothing = { changed: new Map(), gone: new Set<string>(), added: new Set<string>() }

test('lines behind an insertion move, and lines that were replaced are lost', () => {
  expect(moveRanges([[1, 5]], [insertion(2, 3, 3)])).toEqual([
    [1, 2],
    [6, 8],
  ])
  const replaced = { oldStart: 3, oldLines: 2, newStart: 3, newLines: 1 }
  expect(
    moveRanges(
      [
        [1, 2],
        [3, 3],
        [4, 4],
        [5, 6],
      ],
      [replaced],
    ),
  ).toEqual([
    [1, 2],
    [4, 5],
  ])
  const removed = { oldStart: 1, oldLines: 3, newStart: 0, newLines: 0 }
  expect(moveRanges([[2, 6]], [removed])).toEqual([[1, 3]])
})

test('moving lines is the same as looking for each line in the new text', () => {
  const edit = fc.record({ keep: fc.nat(4), remove: fc.nat(3), insert: fc.nat(3) })
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 6 }), fc.array(fc.boolean(), { maxLength: 40 }), (edits, marks) => {
      const before = marks.map((_, index) => index + 1)
      const after: (number | null)[] = []
      const hunks: Hunk[] = []
      let at = 0
      for (const { keep, remove, insert } of edits) {
        after.push(...before.slice(at, at + keep + 1))
        at = Math.min(before.length, at + keep + 1)
        const oldLines = Math.min(remove, before.length - at)
        if (oldLines + insert === 0) continue
        hunks.push({
          oldStart: oldLines === 0 ? at : at + 1,
          oldLines,
          newStart: insert === 0 ? after.length : after.length + 1,
          newLines: insert,
        })
        after.push(...Array.from({ length: insert }, () => null))
        at += oldLines
      }
      after.push(...before.slice(at))
      const ranges: Ranges = marks.flatMap((isMarked, index) => (isMarked ? [[index + 1, index + 1] as const] : []))
      const expected = after.flatMap((old, index) => (old !== null && marks[old - 1] ? [index + 1] : []))
      const moved = moveRanges(ranges, hunks)
      expect(moved.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, n) => first + n))).toEqual(
        expected,
      )
    }),
  )
})

test('a renamed file keeps its coverage, and a file that is gone loses it', () => {
  const measured = new Map([
    ['old.ts', file([[1, 2]], [[3, 3]])],
    ['gone.ts', file([[1, 1]], [])],
    ['generated.ts', file([[1, 1]], [])],
    ['same.ts', file([[1, 1]], [[2, 2]])],
  ])
  const change = { before: 'old.ts', hunks: [insertion(0, 1, 1)] }
  const changes = {
    changed: new Map([['new.ts', change]]),
    gone: new Set(['old.ts', 'gone.ts']),
    added: new Set<string>(),
  }
  const carried = carryCoverage(measured, changes, new Set(['new.ts', 'same.ts']))
  expect(carried).toEqual({
    files: new Map([
      ['new.ts', { ...file([[2, 3]], [[4, 4]]), changed: [[1, 1]] }],
      ['same.ts', { ...file([[1, 1]], [[2, 2]]), changed: [] }],
    ]),
    changedFiles: new Set(['new.ts']),
    goneFiles: new Set(['gone.ts', 'generated.ts']),
  })
})

test('of two files that exchanged their names each keeps its own coverage', () => {
  const measured = new Map([
    ['a.ts', file([[1, 1]], [])],
    ['b.ts', file([[2, 2]], [])],
  ])
  const changed = new Map([
    ['a.ts', { before: 'b.ts', hunks: [] }],
    ['b.ts', { before: 'a.ts', hunks: [] }],
  ])
  const { files } = carryCoverage(measured, { ...nothing, changed })
  expect([...files].map(([path, { covered }]) => [path, covered])).toEqual([
    ['a.ts', [[2, 2]]],
    ['b.ts', [[1, 1]]],
  ])
})

test('branches move with their line', () => {
  const partialBranches = [
    { line: 2, taken: 1, total: 2 },
    { line: 5, taken: 0, total: 3 },
  ]
  const measured = new Map([['a.ts', { ...file([[1, 5]], []), partialBranches }]])
  const hunk = { oldStart: 2, oldLines: 1, newStart: 2, newLines: 3 }
  const { files } = carryCoverage(measured, {
    ...nothing,
    changed: new Map([['a.ts', { before: 'a.ts', hunks: [hunk] }]]),
  })
  expect(files.get('a.ts')?.partialBranches).toEqual([{ line: 7, taken: 0, total: 3 }])
})
