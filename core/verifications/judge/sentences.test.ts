import { expect, test } from 'vitest'
import { quotedLine } from './sentences.ts'

test.each([
  ['Expected values to be strictly equal:\n\n499 !== 0\n', 'Expected values to be strictly equal: 499 !== 0.'],
  ['\nassert 499 == 0\n', 'assert 499 == 0.'],
  [
    'expect(received).toBe(expected)\n\nExpected: 0\nReceived: 499',
    'expect(received).toBe(expected) Expected: 0 Received: 499.',
  ],
])('of %j it quotes what is wrong', (message, quoted) => {
  expect(quotedLine(message)).toBe(quoted)
})
