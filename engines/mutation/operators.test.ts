import { expect, test } from 'vitest'
import { mutantsIn } from './testing.ts'

test.each([
  ['x = a * 0.5', ['1 arithmetic: a * 0.5 -> a / 0.5']],
  ['x = a / 0.5', ['1 arithmetic: a / 0.5 -> a * 0.5']],
  ['x = a * -0.1', ['1 arithmetic: a * -0.1 -> a / -0.1']],
  ['x = a * 0', ['1 arithmetic: a * 0 -> a / 0']],
  ['x = a ** -1', ['1 arithmetic: a ** -1 -> a * -1']],
  ['x = a ** 0', ['1 arithmetic: a ** 0 -> a * 0']],
  ['x *= 0.5', ['1 arithmetic: x *= 0.5 -> x /= 0.5']],
])('%s has a mutant, because its inverse has another result', async (source, mutants) => {
  expect(await mutantsIn('a.js', source)).toEqual(mutants)
})

test.each(['x = a * 1', 'x = a / 1', 'x = a * -1', 'x = a / -1', 'x = a ** 1', 'x = a + 0', 'x = a << 0', 'x /= 1'])(
  '%s has none, because its inverse has the same result',
  async (source) => {
    expect(await mutantsIn('a.js', source)).toEqual([])
  },
)

test('a division that rounds is the same as a multiplication only by 1 and -1', async () => {
  expect(await mutantsIn('a.py', 'x = a // 1\ny = a // -1\nz = a // 2\n')).toEqual(['3 arithmetic: a // 2 -> a * 2'])
})
