import { expect, test } from 'vitest'
import { createRedact } from './secrets.ts'

const redact = createRedact(['My-Own.Key/1234', 'My-Own.Key/1234-longer', 'short', undefined])

test.each([
  ['the key My-Own.Key/1234 twice My-Own.Key/1234', 'the key [redacted] twice [redacted]'],
  ['My-Own.Key/1234-longer', '[redacted]'],
  ['sk-proj-abcdefghijklmnopqrst', '[redacted]'],
  ["const a = 'ghp_abcdefghijklmnopqrstuvwxyz0123'", "const a = '[redacted]'"],
  ['AKIAABCDEFGHIJKLMNOP.', '[redacted].'],
  ['postgres://app:hunter2@db:5432/app', 'postgres://[redacted]@db:5432/app'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nrest', '[redacted]\nrest'],
])('%s', (text, clean) => {
  expect(redact(text)).toBe(clean)
})

test.each(['a short word', 'https://example.org/a:b@c', 'sk-1', 'task-runner-of-the-whole-project', 'eyJust a text'])(
  '%s stays as it is',
  (text) => {
    expect(redact(text)).toBe(text)
  },
)

test('a key of the service is redacted in its JSON-escaped form too', () => {
  const key = 'a"key\\with-signs'
  expect(createRedact([key])(JSON.stringify({ error: `wrong key ${key}` }))).toBe('{"error":"wrong key [redacted]"}')
})

test.each(['', 'token-', 'Bearer ', '"', 'key=', 'a.'])('a signed token is redacted after %j too', (before) => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl'
  expect(createRedact([])(`${before}${token} and on`)).toBe(`${before}[redacted] and on`)
})
