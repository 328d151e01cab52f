import { expect, test } from 'vitest'
import type { CarriedFile } from '../../coverage/carry-over.ts'
import { measureSymbol } from './measured.ts'

const file: CarriedFile = {
  covered: [
    [1, 2],
    [9, 9],
    [30, 33],
  ],
  uncovered: [[3, 4]],
  partialBranches: [
    { line: 2, taken: 1, total: 2 },
    { line: 31, taken: 1, total: 3 },
  ],
  changed: [[40, 41]],
}
const measured = (startLine: number, endLine: number, inside: readonly (readonly [number, number])[] = []) =>
  measureSymbol(file, { startLine, endLine }, inside, 0.5)

test('counts the lines of the body: the line of the declaration runs when the module is loaded', () => {
  expect(measured(1, 4)).toMatchObject({ share: 1 / 3, lines: 3, uncovered: [[3, 4]] })
  expect(measured(9, 9)).toMatchObject({ share: 1, gap: 0 })
  expect(measured(9, 12), 'a report with the declaration only').toMatchObject({ share: 1, lines: 1, gap: 0 })
})

test('knows nothing of files and symbols that the report does not have', () => {
  expect(measureSymbol(undefined, { startLine: 1, endLine: 4 }, [], 0.5)).toBeUndefined()
  expect(measured(15, 20)).toBeUndefined()
  expect(measured(40, 41), 'a symbol of nothing but changed lines').toBeUndefined()
})

test('leaves out the candidates inside, which have their own coverage', () => {
  expect(measured(1, 9, [[3, 5]])).toMatchObject({ share: 1, uncovered: [] })
})

test('a branch that no test takes is a gap, though a smaller one than a line', () => {
  const branches = measured(30, 33)
  expect(branches).toMatchObject({ share: 1, uncovered: [], partialBranches: [{ line: 31, taken: 1, total: 3 }] })
  expect(branches?.gap).toBeGreaterThan(0)
  expect(branches?.gap).toBeLessThan(measured(1, 4)?.gap ?? 0)
})

test('expects of changed lines what is expected of any line', () => {
  const stale = measureSymbol(file, { startLine: 29, endLine: 41 }, [], 0.25)
  expect(stale).toMatchObject({ share: 1, changed: [[40, 41]] })
  expect(stale?.gap).toBeGreaterThan(measureSymbol(file, { startLine: 29, endLine: 41 }, [], 0.75)?.gap ?? 1)
})

test('reads a broken range of lines without counting to its end', () => {
  expect(measured(1, Number.MAX_SAFE_INTEGER)).toMatchObject({ lines: 8, uncovered: [[3, 4]] })
})
