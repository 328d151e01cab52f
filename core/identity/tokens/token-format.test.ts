import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isWellFormedToken, newToken } from './token-format.ts'

test('accepts every token that it creates, including tokens that contain - and _', () => {
  const tokens = Array.from({ length: 2_000 }, newToken)
  expect(tokens.every(isWellFormedToken)).toBe(true)
  expect(tokens.some((token) => token.slice(7, 39).includes('_'))).toBe(true)
  expect(new Set(tokens).size).toBe(tokens.length)
})

test('has the format that secret scanners detect', () => {
  expect(newToken()).toMatch(/^svc_v1_[A-Za-z0-9_-]{32}_[A-Za-z0-9_-]{4}$/)
})

test('refuses a token with one changed character', () => {
  const token = newToken()
  const position = fc.integer({ min: 0, max: token.length - 1 })
  const character = fc.constantFrom('A', 'B', 'x', 'y', '0', '9', '-', '_', ' ', '%')
  fc.assert(
    fc.property(position, character, (at, other) => {
      fc.pre(token[at] !== other)
      // The checksum has 24 bits, so that one in 16 million changes of the random part would pass.
      expect(isWellFormedToken(token.slice(0, at) + other + token.slice(at + 1))).toBe(false)
    }),
  )
})

test('refuses any other text', () => {
  fc.assert(fc.property(fc.string({ maxLength: 100 }), (text) => !isWellFormedToken(text)))
  expect(isWellFormedToken(`${newToken()}\n`)).toBe(false)
  expect(isWellFormedToken(newToken().replace('svc_v1_', 'svc_v2_'))).toBe(false)
})
