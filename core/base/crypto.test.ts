import { expect, test } from 'vitest'
import { decrypt, encrypt } from './crypto.ts'

const key = 'a key for tests that is long enough to be one'

test('decrypts what it encrypted, and encrypts differently each time', () => {
  const [first, second] = [encrypt(key, 'a/b', 'grüße'), encrypt(key, 'a/b', 'grüße')]
  expect(first).not.toBe(second)
  expect([decrypt(key, 'a/b', first), decrypt(key, 'a/b', second)]).toEqual(['grüße', 'grüße'])
})

test('a value that was changed, moved to another place or encrypted with another key does not decrypt', () => {
  const encrypted = encrypt(key, 'a/b', 'secret')
  const changed = encrypted.slice(0, -2) + (encrypted.endsWith('AA') ? 'BB' : 'AA')
  expect(() => decrypt(key, 'a/b', changed)).toThrow()
  expect(() => decrypt(key, 'a/c', encrypted)).toThrow()
  expect(() => decrypt(`${key}!`, 'a/b', encrypted)).toThrow()
})
