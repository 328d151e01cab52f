import { expect, test } from 'vitest'
import { partOf } from '../../../engines/test-plan/testing/tree.ts'
import { testFoldersHint } from './test-folders.ts'

const paths = [
  'src/cart.ts',
  'test/cart.test.ts',
  'test/tax.test.ts',
  'src/money.test.ts',
  'tests/test_a.py',
  'new.test.ts',
]

test('names the test folders of the language, most common first', async () => {
  const part = await partOf({ 'package.json': '{"scripts":{"test":"vitest"}}', 'package-lock.json': '{}' })
  expect(testFoldersHint(part, paths, 'new.test.ts')).toBe(
    'Tests of this project are in test/, src/, such as test/cart.test.ts.',
  )
  expect(testFoldersHint(part, paths, 'new_test.go')).toBeNull()
  const below = { ...part, directory: 'src' }
  expect(testFoldersHint(below, paths, 'src/new.test.ts')).toBe(
    'Tests of this project are in src/, such as src/money.test.ts.',
  )
})
