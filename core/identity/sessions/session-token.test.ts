import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sign } from '../../base/crypto.ts'
import { newId } from '../../base/ids.ts'
import { parseSessionToken, sessionToken } from './session-token.ts'

const secretKey = 'a key for tests that is long enough to be one'
const reference = fc.record({
  sessionId: fc.date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true }).map(newId),
  generation: fc.integer({ min: 0, max: 36 ** 6 - 1 }),
})

test('parses every token that it creates, and none with another key', () => {
  fc.assert(
    fc.property(reference, (made) => {
      const token = sessionToken(secretKey, made)
      expect(parseSessionToken(secretKey, token)).toEqual(made)
      expect(parseSessionToken(`${secretKey}.`, token)).toBeUndefined()
    }),
    { numRuns: 2_000 },
  )
})

test('refuses a token with one character changed, removed or added', () => {
  const character = fc.constantFrom(...'0123456789abcxyzABCXYZ-_. =%\n\0é'.split(''))
  fc.assert(
    fc.property(reference, fc.nat(), character, (made, place, other) => {
      const token = sessionToken(secretKey, made)
      const at = place % token.length
      const [before, rest] = [token.slice(0, at), token.slice(at)]
      expect(parseSessionToken(secretKey, before + rest.slice(1))).toBeUndefined()
      expect(parseSessionToken(secretKey, before + other + rest)).toBeUndefined()
      expect(parseSessionToken(secretKey, token + other)).toBeUndefined()
      if (rest[0] !== other) expect(parseSessionToken(secretKey, before + other + rest.slice(1))).toBeUndefined()
    }),
    { numRuns: 2_000 },
  )
})

test('never throws, for any input', () => {
  const unit = fc.constantFrom(...'01ARZ3NDEKTSVabcz-_...= \n\0é'.split(''))
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 100 }), fc.string({ unit, maxLength: 100 }))
  fc.assert(
    fc.property(text, (token) => {
      expect(parseSessionToken(secretKey, token)).toBeUndefined()
    }),
    { numRuns: 1_500 },
  )
})

test('refuses a signed token with a non-canonical number', () => {
  const id = newId(new Date())
  const spelt = (counter: string) => `${id}.${counter}.${sign(secretKey, 'session', `${id}.${counter}`)}`
  expect(parseSessionToken(secretKey, spelt('a'))).toEqual({ sessionId: id, generation: 10 })
  for (const counter of ['0a', 'A', '-1', '1e3x9zz', '']) {
    expect(parseSessionToken(secretKey, spelt(counter))).toBeUndefined()
  }
})
