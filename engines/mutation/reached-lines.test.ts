import { expect, test } from 'vitest'
import { reachedLines } from './reached-lines.ts'

const source = `function total(items) {
  return items.reduce(
    (sum, item) => sum + item.price,
    0,
  )
}

function unused(a = 1 + 2) {
  return a
}`

test('takes in the lines of a statement of which only the first is counted', () => {
  expect(reachedLines(source, [[2, 2]], [[9, 9]])).toEqual([[2, 6]])
})

test('ends at the next line that is counted, and at the end', () => {
  expect(reachedLines(source, [[2, 2]], [[3, 3]])).toEqual([[2, 2]])
  expect(
    reachedLines(
      source,
      [
        [2, 2],
        [4, 4],
      ],
      [],
    ),
  ).toEqual([
    [2, 3],
    [4, 6],
  ])
  expect(reachedLines(source, [[9, 9]], [])).toEqual([[9, 10]])
  expect(reachedLines(source, [], [[1, 10]])).toEqual([])
  expect(reachedLines('', [[1, 900]], [])).toEqual([[1, 900]])
})
