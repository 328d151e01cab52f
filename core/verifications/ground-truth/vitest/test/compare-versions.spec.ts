import { expect, test } from 'vitest'
import { compareVersions } from '../src/compare-versions.ts'

test.each([
  ['1.2.3', '1.2.4'],
  ['1.9.0', '1.10.0'],
  ['1.9.9', '2.0.0'],
  ['1.0.0-rc.1', '1.0.0'],
  ['1.0.0-alpha', '1.0.0-beta'],
])('%s is older than %s', (older, newer) => {
  expect(compareVersions(older, newer)).toBe(-1)
  expect(compareVersions(newer, older)).toBe(1)
})

test('the same version is the same, with and without its v', () => {
  expect(compareVersions('v1.2.3', '1.2.3')).toBe(0)
  expect(compareVersions('1.2.3-rc.1', '1.2.3-rc.1')).toBe(0)
})

test.each(['1.2', 'latest', ''])('"%s" is no version', (text) => {
  expect(() => compareVersions(text, '1.0.0')).toThrow('not a version')
})
