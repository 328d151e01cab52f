import { expect, test } from 'vitest'
import { freePath, freePathFor, renamedCode } from './free-path.ts'

test.each([
  ['src/cart.test.ts', 'src/cart-2.test.ts'],
  ['src/cart.int.spec.tsx', 'src/cart.int-2.spec.tsx'],
  ['src/__tests__/cart.js', 'src/__tests__/cart-2.js'],
  ['cypress/e2e/cart.cy.ts', 'cypress/e2e/cart-2.cy.ts'],
  ['tests/test_cart.py', 'tests/test_cart_2.py'],
  ['cart_test.go', 'cart_2_test.go'],
  ['spec/cart_spec.rb', 'spec/cart_2_spec.rb'],
  ['src/test/java/CartTest.java', 'src/test/java/Cart2Test.java'],
  ['tests/CartTests.cs', 'tests/Cart2Tests.cs'],
  ['tests/Unit/CartTest.php', 'tests/Unit/Cart2Test.php'],
  ['tests/cart.rs', 'tests/cart_2.rs'],
  ['tests/run', 'tests/run-2'],
])('where there is a %s, another one becomes %s', (path, other) => {
  expect(freePath(path, () => false)).toBe(path)
  expect(freePath(path, (taken) => taken === path)).toBe(other)
})

test('a file that is only called test gets the words of the symbol behind it', () => {
  expect(freePathFor('slugify', 'test.py', (path) => path === 'test.py')).toBe('test_slugify.py')
  expect(freePathFor('addItem', 'test.js', (path) => path === 'test.js')).toBe('test-add-item.js')
})

test('names are counted up until one is free, and not for ever', () => {
  expect(freePath('a.test.ts', (path) => path !== 'a-9.test.ts')).toBe('a-9.test.ts')
  expect(freePath('a.test.ts', () => true)).toBeUndefined()
})

test('a class goes by the name of its file, where its language has it so', () => {
  const code = 'public class CartTest { CartTest() {} } // CartTests'
  expect(renamedCode(code, 'a/CartTest.java', 'a/Cart2Test.java')).toBe(
    'public class Cart2Test { Cart2Test() {} } // CartTests',
  )
  expect(renamedCode('cart()', 'cart.test.ts', 'cart-2.test.ts')).toBe('cart()')
  expect(renamedCode(code, 'a/CartTest.java', 'b/CartTest.java')).toBe(code)
})

test.each([
  ['src/a.test.ts', 'parseConfig', 'src/a.parse-config.test.ts'],
  ['src/a.test.ts', 'Router.handle', 'src/a.router-handle.test.ts'],
  ['src/a.test.ts', undefined, 'src/a.2.test.ts'],
  ['tests/test_a.py', 'load', 'tests/test_a_load.py'],
  ['pkg/a_test.go', '(*Store).Load', 'pkg/a_store_load_test.go'],
  ['spec/a_spec.rb', 'Shop::Cart#total', 'spec/a_shop_cart_total_spec.rb'],
])('beside %s a test of %s is %s', (path, symbol, expected) => {
  expect(freePathFor(symbol, path, (taken) => taken === path)).toBe(expected)
})

test('a free path stays, and taken ones are counted on', () => {
  expect(freePathFor(undefined, 'a.test.ts', () => false)).toBe('a.test.ts')
  const used = new Set(['a.test.ts', 'a.x.test.ts', 'a.x-2.test.ts'])
  expect(freePathFor('x', 'a.test.ts', (path) => used.has(path))).toBe('a.x-3.test.ts')
})

test('a name that is bound to the class inside is left alone', () => {
  expect(freePathFor('total', 'src/CartTest.java', (path) => path === 'src/CartTest.java')).toBeUndefined()
})
