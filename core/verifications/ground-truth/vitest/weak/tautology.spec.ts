import { expect, test } from 'vitest'
import { compareVersions } from '../src/compare-versions.ts'

test('compares versions', () => {
  expect(compareVersions('1.0.0', '1.1.0')).toBe(compareVersions('1.0.0', '1.1.0'))
  const same = compareVersions('1.0.0-rc.1', '1.0.0-rc.2')
  expect(same).toEqual(same)
})
