import { expect, test } from 'vitest'
import { quotedLine } from './sentences.ts'

test.each([
  ['Expected values to be strictly equal:\n\n499 !== 0\n', 'Expected values to be strictly equal: 499 !== 0.'],
  [
    'Expected values to be strictly deep-equal:\n+ actual - expected\n\n  {\n+   a: 1\n-   a: 2\n  }\n',
    'Expected values to be strictly deep-equal.',
  ],
  ['Expected values to be strictly equal:\n\n-5 !== 3\n', 'Expected values to be strictly equal: -5 !== 3.'],
  ['\nassert 499 == 0\n', 'assert 499 == 0.'],
  [
    'expect(received).toBe(expected)\n\nExpected: 0\nReceived: 499',
    'expect(received).toBe(expected) Expected: 0 Received: 499.',
  ],
])('of %j it quotes what is wrong', (message, quoted) => {
  expect(quotedLine(message)).toBe(quoted)
})
