import { expect, test } from 'vitest'
import { inferTarget } from './infer-target.ts'

const reached = (...paths: string[]) => ({
  files: Object.fromEntries(paths.map((path) => [path, { covered: '1-3', uncovered: '', branches: '' }])),
})
const targetOf = (path: string, code: string, paths: string[], alone = reached(...paths)) =>
  inferTarget({ path, code }, [...paths, path], alone)?.path

test('prefers an imported file to one that the test only covers', () => {
  const paths = ['src/cart.ts', 'src/money.ts', 'src/cart.helpers.ts']
  expect(targetOf('tests/total.test.ts', `import { total } from '../src/cart.js'`, paths)).toBe('src/cart.ts')
  expect(targetOf('src/cart.test.js', `const { total } = require('./money')`, paths)).toBe('src/money.ts')
  expect(targetOf('tests/a.test.ts', `import { total } from '@/money'`, paths)).toBe('src/money.ts')
})

test('prefers the imported file that the test is named after', () => {
  const code = `import { a } from '../src/money'\nimport { total } from '../src/cart'`
  expect(targetOf('tests/cart.test.ts', code, ['src/money.ts', 'src/cart.ts'])).toBe('src/cart.ts')
})

test('resolves imports of folders and Python packages', () => {
  expect(targetOf('tests/a.test.ts', `import { total } from '../src/shop'`, ['src/shop/index.ts'])).toBe(
    'src/shop/index.ts',
  )
  const python = ['src/shop/cart.py', 'src/shop/__init__.py']
  expect(targetOf('tests/test_a.py', 'from shop.cart import total\n', python)).toBe('src/shop/cart.py')
  expect(targetOf('tests/test_a.py', 'from shop import (\n  cart,\n)\n', ['src/shop/cart.py'])).toBe('src/shop/cart.py')
  expect(targetOf('tests/test_a.py', 'import shop\n', python)).toBe('src/shop/__init__.py')
})

test('chooses a file of the package for a Go test', () => {
  const paths = ['cart/cart.go', 'cart/money.go', 'main.go']
  expect(targetOf('cart/cart_test.go', 'package cart\n', paths)).toBe('cart/cart.go')
})

test('ignores tests, helpers, and files that only share the name', () => {
  const paths = ['src/cart.ts', 'tests/helpers.ts', 'tests/other.test.ts']
  const code = `import '../helpers'\nimport '../other.test'`
  expect(
    targetOf('tests/cart.test.ts', code, paths, reached('tests/helpers.ts', 'tests/other.test.ts')),
  ).toBeUndefined()
})

test('chooses a mocked file if the test covers no other import', () => {
  const paths = ['src/cart.ts', 'src/money.ts']
  const mocked = `import { total } from '../src/cart'\nvi.mock('../src/cart')\n`
  expect(targetOf('tests/a.test.ts', mocked, paths, reached())).toBe('src/cart.ts')
  const beside = `${mocked}import { round } from '../src/money'\n`
  expect(targetOf('tests/a.test.ts', beside, paths, reached('src/money.ts'))).toBe('src/money.ts')
})

test('chooses an import if coverage was not measured', () => {
  const found = inferTarget({ path: 'a.test.js', code: `import { a } from './b.js'` }, ['b.js', 'a.test.js'], null)
  expect(found).toEqual({ path: 'b.js' })
})
