import { expect, test } from 'vitest'
import { maskOf } from './mask.ts'
import { keepEnds } from './printed.ts'

const secret = 'squeamish-ossifrage'

test.each([0, 10_000, 20_000, 30_000])('shows no part of a secret at any cut (%i)', (shift) => {
  // So long that two of them are all that is kept, and little is left of them.
  const long = secret.repeat(1_700)
  const printed = keepEnds(maskOf({ KEY: long }))
  printed.write('.'.repeat(shift))
  for (let count = 0; count < 20; count++) printed.write(`${long}\n`)
  const text = printed.text()
  expect(text).toMatch(/\[\d+ characters are omitted here\]/)
  expect(text).not.toMatch(/squeam|ossifr/)
})

test('keeps the same text for small and large pieces', () => {
  const lines = Array.from({ length: 30_000 }, (_, index) => `line ${index}\n`)
  const pieces = keepEnds((text) => text)
  for (const line of lines) pieces.write(line)
  const whole = keepEnds((text) => text)
  whole.write(lines.join(''))
  expect(pieces.text()).toBe(whole.text())
  expect(pieces.text()).toMatch(/^line 0\nline 1\n[^]*\n\[\d+ characters are omitted here\]\n[^]*\nline 29999$/)
})

test('shows a short output completely', () => {
  const printed = keepEnds(maskOf({ KEY: secret }))
  for (const piece of ['one squea', 'mish-ossi', 'frage\n', 'two\n']) printed.write(piece)
  expect(printed.text()).toBe('one ***\ntwo')
})
