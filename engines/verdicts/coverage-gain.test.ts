import { expect, test } from 'vitest'
import type { Measured } from './outcome.ts'
import { coverageGain, linesReached, percentOf } from './coverage-gain.ts'

const file = (covered: string, uncovered = '', branches = '') => ({ covered, uncovered, branches })
const measured = (files: Measured['files']): Measured => ({ files })

const before = measured({ 'src/cart.ts': file('1-3,9', '4-8', '2:1'), 'src/tax.ts': file('1', '2-4') })
const alone = measured({ 'src/cart.ts': file('1-6', '7-9', '2:1,5:1'), 'test/new.test.ts': file('1-40') })
const after = measured({
  'src/cart.ts': file('1-6,9', '7-8', '2:2,5:1'),
  'src/tax.ts': file('1-2', '3-4', '1:1'),
  'test/new.test.ts': file('1-40', '', '3:9'),
})
const compared = { before, after, alone, testPath: 'test/new.test.ts' }

test('counts the lines and branches that only the test reaches', () => {
  expect(coverageGain({ ...compared, target: { path: 'src/cart.ts' } })).toEqual({
    targetLinesReached: '1-6',
    newTargetLines: '4-6',
    newTargetBranches: 2,
    newTargetBranchLines: '2,5',
    newProjectLines: 3,
    newProjectBranches: 2,
    before: 38.46,
    after: 69.23,
  })
})

test('keeps to the lines of the target', () => {
  const gain = coverageGain({ ...compared, target: { path: 'src/cart.ts', startLine: 5, endLine: 7 } })
  expect(gain).toMatchObject({ targetLinesReached: '5-6', newTargetLines: '5-6', newTargetBranches: 1 })
  const oneLine = coverageGain({ ...compared, target: { path: 'src/cart.ts', startLine: 4 } })
  expect(oneLine).toMatchObject({ newTargetLines: '4', newTargetBranches: 0, newProjectLines: 3 })
})

test('leaves out what others reached by chance, and the test itself', () => {
  // Line 2 of src/tax.ts is new, and the test does not go there when it runs alone.
  expect(coverageGain({ ...compared, target: { path: 'src/tax.ts' } })).toMatchObject({
    targetLinesReached: '',
    newTargetLines: '',
    newTargetBranches: 0,
  })
})

test('counts all that is new where the test cannot be run alone, or nothing was measured before', () => {
  expect(coverageGain({ ...compared, alone: null, target: null })).toMatchObject({
    newProjectLines: 4,
    newProjectBranches: 3,
  })
  expect(coverageGain({ ...compared, before: measured({}), target: null })).toMatchObject({
    before: null,
    newProjectLines: 6,
  })
})

test('finds nothing in files whose names objects have by themselves', () => {
  expect(linesReached(measured({}), { path: 'constructor' })).toEqual([])
  expect(percentOf(measured({}), 'a')).toBeNull()
})
