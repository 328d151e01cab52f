import { expect, test } from 'vitest'
import { testRunner } from '../processes/testing/runner.ts'
import { coverageGain } from './coverage-gain.ts'
import type { Measured } from './outcome.ts'
import { withoutUncalledLines } from './uncalled-lines.ts'

const source = `export const twice = (a) => a * 2
export const half = (a) => a / 2
export function long(a) {
  return a
}
export const all = [1].map((a) => a * 2)
`
const sources: Record<string, string> = { 'a.js': source, 'b.rb': 'def f = 1\n', 'c.js': 'const = {' }
const correct = (files: Measured['files'], paths = Object.keys(files)) =>
  withoutUncalledLines(testRunner, { files }, paths, (path) => sources[path] ?? null)

const loaded = { covered: '1-3,6', uncovered: '4', branches: '', uncalled: '1-3,6' }

test('lines of uncalled functions are not covered, unless they have other code', async () => {
  const { files } = await correct({ 'a.js': loaded })
  expect(files).toEqual({ 'a.js': { ...loaded, covered: '3,6', uncovered: '1-2,4' } })
})

test('leaves files alone that it cannot read, and that it need not', async () => {
  const files = { 'b.rb': { ...loaded }, 'c.js': { ...loaded }, 'd.js': { ...loaded } }
  expect((await correct(files)).files).toEqual(files)
  expect((await correct({ 'a.js': loaded }, [])).files).toEqual({ 'a.js': loaded })
  const { uncalled: _, ...unknown } = loaded
  expect((await correct({ 'a.js': unknown })).files).toEqual({ 'a.js': unknown })
})

test('a test gains the line of a function that only it calls, and not the one of a function that it does not call', async () => {
  const own = { ...loaded, uncalled: '2-3,6' }
  const [before, after] = [await correct({ 'a.js': loaded }), await correct({ 'a.js': own })]
  const reported = { before: { files: { 'a.js': loaded } }, after: { files: { 'a.js': own } }, alone: null }
  const how = { before, after, alone: after, testPath: 'a.test.js' }
  expect(coverageGain({ ...how, target: { path: 'a.js' } })).toMatchObject({
    targetLinesReached: '1,3,6',
    newTargetLines: '1',
    newProjectLines: 1,
  })
  // Percentages are those of the report.
  expect(coverageGain({ ...how, reported, target: null })).toMatchObject({ before: 80, after: 80 })
  const ofHalf = { path: 'a.js', symbol: 'half', startLine: 2, endLine: 2 }
  expect(coverageGain({ ...how, reported, target: ofHalf }).targetLinesReached).toBe('')
  // The reason is then that the test only loads the file.
  expect(coverageGain({ ...how, reported, target: { path: 'a.js' } }).targetLinesReached).toBe('1-3,6')
})
