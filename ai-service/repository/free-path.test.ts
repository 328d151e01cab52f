import { expect, test } from 'vitest'
import { freePath } from './free-path.ts'

test.each([
  ['src/a.test.ts', 'parseConfig', 'src/a.parse-config.test.ts'],
  ['src/a.test.ts', 'Router.handle', 'src/a.router-handle.test.ts'],
  ['src/a.test.ts', undefined, 'src/a.2.test.ts'],
  ['tests/test_a.py', 'load', 'tests/test_a_load.py'],
  ['pkg/a_test.go', '(*Store).Load', 'pkg/a_store_load_test.go'],
  ['spec/a_spec.rb', 'Shop::Cart#total', 'spec/a_shop_cart_total_spec.rb'],
])('beside %s a test of %s is %s', (path, symbol, expected) => {
  expect(freePath(path, new Set([path]), symbol)).toBe(expected)
})

test('a free path stays, and taken ones are counted on', () => {
  expect(freePath('a.test.ts', new Set())).toBe('a.test.ts')
  expect(freePath('a.test.ts', new Set(['a.test.ts', 'a.x.test.ts', 'a.x-2.test.ts']), 'x')).toBe('a.x-3.test.ts')
})

test('a name that is bound to the class inside is left alone', () => {
  expect(freePath('src/CartTest.java', new Set(['src/CartTest.java']), 'total')).toBeUndefined()
})
