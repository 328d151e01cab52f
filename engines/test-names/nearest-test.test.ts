import { expect, test } from 'vitest'
import { nearestTests } from './nearest-test.ts'

test('the nearest test is named after the file, or else in the nearest folder', () => {
  const nearest = nearestTests([
    'src/cart.ts',
    'src/pay/card.ts',
    'test/cart.test.ts',
    'src/pay/bank.test.ts',
    'tests/test_tax.py',
    'README.md',
  ])
  expect(nearest('src/cart.ts')).toBe('test/cart.test.ts')
  expect(nearest('src/pay/card.ts')).toBe('src/pay/bank.test.ts')
  expect(nearest('shop/tax.py')).toBe('tests/test_tax.py')
  expect(nearestTests(['src/a.ts'])('src/a.ts')).toBeNull()
})
