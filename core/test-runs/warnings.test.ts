import { expect, test } from 'vitest'
import { type RunWarning, storedWarnings, withCoverageWarning } from './warnings.ts'

const incomplete: RunWarning = { code: 'note', text: 'The coverage is incomplete: a.xml is cut off.' }
const settings = { coverageThreshold: 80 }

test('removes the warning about low coverage when a later part raises the coverage', () => {
  const low = withCoverageWarning([], 50, settings)
  expect(low).toEqual([
    { code: 'low_coverage', text: 'Coverage is 50 %, below the 80 % that the project settings require.' },
  ])
  expect(withCoverageWarning(low, 90, settings)).toEqual([])
})

test('distinguishes an unreadable coverage report from low coverage', () => {
  expect(withCoverageWarning([incomplete], 90, settings)).toEqual([incomplete])
})

test('reads warnings that earlier versions stored as texts', () => {
  expect(storedWarnings.from([incomplete.text, incomplete])).toEqual([incomplete, incomplete])
})
