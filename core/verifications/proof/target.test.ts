import { expect, test } from 'vitest'
import { inferTarget } from './target.ts'

const reached = (...paths: string[]) => ({
  files: Object.fromEntries(paths.map((path) => [path, { covered: '1-3', uncovered: '', branches: '' }])),
})
const targetOf = (path: string, code: string, paths: string[], alone = reached(...paths)) =>
  inferTarget({ path, code }, [...paths, path], alone)?.path

test('a test is about the file that it imports, before one that it only reaches', () => {
  const paths = ['src/cart.ts', 'src/money.ts', 'src/cart.helpers.ts']
  expect(targetOf('tests/total.test.ts', `import { total } from '../src/cart.js'`, paths)).toBe('src/cart.ts')
  expect(targetOf('src/cart.test.js', `const { total } = require('./money')`, paths)).toBe('src/money.ts')
  expect(targetOf('tests/a.test.ts', `import { total } from '@/money'`, paths)).toBe('src/money.ts')
})

test('of several that it imports, it is about the one that it is named after', () => {
  const code = `import { a } from '../src/money'\nimport { total } from '../src/cart'`
  expect(targetOf('tests/cart.test.ts', code, ['src/money.ts', 'src/cart.ts'])).toBe('src/cart.ts')
})

test('a folder is imported by its index, and a package of Python by its name', () => {
  expect(targetOf('tests/a.test.ts', `import { total } from '../src/shop'`, ['src/shop/index.ts'])).toBe(
    'src/shop/index.ts',
  )
  const python = ['src/shop/cart.py', 'src/shop/__init__.py']
  expect(targetOf('tests/test_a.py', 'from shop.cart import total\n', python)).toBe('src/shop/cart.py')
  expect(targetOf('tests/test_a.py', 'from shop import (\n  cart,\n)\n', ['src/shop/cart.py'])).toBe('src/shop/cart.py')
  expect(targetOf('tests/test_a.py', 'import shop\n', python)).toBe('src/shop/__init__.py')
})

test('a test of Go is about its package', () => {
  const paths = ['cart/cart.go', 'cart/money.go', 'main.go']
  expect(targetOf('cart/cart_test.go', 'package cart\n', paths)).toBe('cart/cart.go')
})

test('it is not about other tests and their helpers, nor about what it only bears the name of', () => {
  const paths = ['src/cart.ts', 'tests/helpers.ts', 'tests/other.test.ts']
  const code = `import '../helpers'\nimport '../other.test'`
  expect(
    targetOf('tests/cart.test.ts', code, paths, reached('tests/helpers.ts', 'tests/other.test.ts')),
  ).toBeUndefined()
})

test('it is about what it puts a mock in the place of where it reaches nothing else that it imports', () => {
  const paths = ['src/cart.ts', 'src/money.ts']
  const mocked = `import { total } from '../src/cart'\nvi.mock('../src/cart')\n`
  expect(targetOf('tests/a.test.ts', mocked, paths, reached())).toBe('src/cart.ts')
  const beside = `${mocked}import { round } from '../src/money'\n`
  expect(targetOf('tests/a.test.ts', beside, paths, reached('src/money.ts'))).toBe('src/money.ts')
})

test('where nothing was measured, what it imports is taken', () => {
  const found = inferTarget({ path: 'a.test.js', code: `import { a } from './b.js'` }, ['b.js', 'a.test.js'], null)
  expect(found).toEqual({ path: 'b.js' })
})
