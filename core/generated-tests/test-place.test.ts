import { expect, test } from 'vitest'
import { placesOf } from './test-place.ts'

const file = (path: string, ...tags: 'test'[]) => ({ path, size: 1, extension: '', language: '', tags })

test.each([
  'src/cart.test.ts',
  'src/__tests__/cart.tsx',
  'test/cart.js',
  'cypress/e2e/cart.cy.ts',
  'e2e/cart.spec.ts',
  'tests/test_cart.py',
  'shop/tests.py',
  'shop/cart_test.go',
  'spec/models/cart_spec.rb',
  'test/models/cart_test.rb',
  'src/test/java/shop/CartTest.java',
  'src/test/kotlin/shop/CartTest.kt',
  'Shop.Tests/CartTests.cs',
  'tests/Unit/CartTest.php',
  'tests/cart.rs',
  'test/cart_test.exs',
])('accepts %s as the path of a test', (path) => {
  expect(placesOf([file('README.md')]).refusal(path)).toBeNull()
})

test('accepts any name in a folder that holds only tests', () => {
  const places = placesOf([file('checks/a.check.ts', 'test'), file('src/a.test.ts', 'test'), file('src/a.ts')])
  expect(places.refusal('checks/b.check.ts')).toBeNull()
  expect(places.refusal('checks/b.yml')).toContain('test runners would not find')
  expect(places.refusal('src/b.ts')).toContain('test runners would not find')
})

test('treats files and folders as in use in any case', () => {
  const places = placesOf([file('Test/Cart.test.ts', 'test')])
  expect(places.isInUse('test/cart.TEST.ts')).toBe(true)
  expect(places.isInUse('test')).toBe(true)
  expect(places.isInUse('test/cart.ts')).toBe(false)
  expect(places.refusal('test/cart.test.ts/b.test.ts')).toContain('is a file, not a folder')
})

test('rejects a test that no command of a run collects', () => {
  const pytest = { directory: '', ecosystem: 'python', framework: 'pytest', command: 'pytest', testFiles: ['test.py'] }
  const places = placesOf([file('test.py', 'test'), file('slug/slug.py')], [pytest])
  expect(places.refusal('tests/test_slug.py')).toBe(
    'a run would not include "tests/test_slug.py": `pytest` runs test.py',
  )
  expect(places.refusal('test_slug.py')).toBeNull()
  expect(places.refusal('web/cart.test.ts')).toBeNull()
  const mocha = {
    directory: '',
    ecosystem: 'javascript',
    framework: 'mocha',
    command: 'mocha',
    testFiles: ['checks/*.js'],
  }
  expect(placesOf([file('src/a.js')], [mocha]).refusal('checks/cart.js')).toBeNull()
})
