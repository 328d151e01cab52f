import { expect, test } from 'vitest'
import { namedTest } from './named-test.ts'

const pathOf = (file: string) => file.replace('/work/', '')

test.each([
  ['/work/tests/test_a.py', 'tests/test_a.py::TestTax::test_b[a::b]', 'TestTax::test_b[a::b]'],
  ['/work/shop/tests/test_a.py', 'tests/test_a.py::test_b', 'test_b'],
  ['/work/tests/test_a.py', 'a::b', 'a::b'],
  ['/work/a.test.ts', 'adds > the tax', 'adds > the tax'],
  ['/work/a.test.ts', null, null],
])('in %s the test %j is named %j', (file, name, within) => {
  expect(namedTest({ file, test: name }, pathOf)).toEqual({ path: pathOf(file), name: within })
})
