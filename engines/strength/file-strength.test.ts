import { expect, test } from 'vitest'
import { type MeasuredFile, withEarlierLines, withLater } from './file-strength.ts'

const earlier = {
  lines: [
    [1, 2, 1],
    [2, 3, 2],
    [4, 1, 1],
  ] as const,
  survivors: [
    [1, 'a', 'b'],
    [2, 'c', 'd'],
    [2, 'e', 'f'],
    [4, 'g', 'h'],
  ] as const,
}

const later = (found: Pick<MeasuredFile, 'lines' | 'survivors' | 'noticed'>) =>
  withLater(earlier, { path: 'a.js', contentId: 'one', commitSha: 'c2', reached: 7, reachedBy: [], ...found })

test('a later measurement of as many changes of a line counts alone', () => {
  const found = later({ lines: [[1, 2, 0]], survivors: [], noticed: [] })
  expect(found).toMatchObject({
    commitSha: 'c2',
    reached: 7,
    lines: [
      [1, 2, 0],
      [2, 3, 2],
      [4, 1, 1],
    ],
    survivors: [
      [2, 'c', 'd'],
      [2, 'e', 'f'],
      [4, 'g', 'h'],
    ],
  })
  expect(found).not.toHaveProperty('noticed')
})

test('one of fewer changes removes the survivors that tests notice now', () => {
  const improved = later({ lines: [[2, 1, 0]], survivors: [], noticed: [[2, 'c', 'd']] })
  expect(improved.lines).toContainEqual([2, 3, 1])
  expect(improved.survivors).not.toContainEqual([2, 'c', 'd'])
  expect(improved.survivors).toContainEqual([2, 'e', 'f'])
  // A survivor that the earlier measurement had no room to name.
  const unnamed = later({ lines: [[2, 2, 0]], survivors: [], noticed: [] })
  expect(unnamed.lines).toContainEqual([2, 3, 1])
})

test('a survivor is named once', () => {
  const again = later({ lines: [[2, 1, 1]], survivors: [[2, 'c', 'd']], noticed: [] })
  expect(again.lines).toContainEqual([2, 3, 2])
  expect(again.survivors.filter(([line]) => line === 2)).toHaveLength(2)
})

test('the tests of a line are those of the latest measurement that knows it', () => {
  const known = withEarlierLines(
    [[3, 2, [['a.test.js', 'adds']]]],
    [
      [1, 1, [['b.test.js', null]]],
      [3, 9, [['old.test.js', 'gone']]],
    ],
  )
  expect(known).toEqual([
    [1, 1, [['b.test.js', null]]],
    [3, 2, [['a.test.js', 'adds']]],
  ])
})
