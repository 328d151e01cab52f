import { request } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppError } from '../base/errors.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createTokenFor } from '../testing/factories.ts'
import { requirePlainTarget } from './target.ts'

let app: TestApp
let token: string
beforeAll(async () => {
  app = await createTestApp()
  token = await createTokenFor(app)
})
afterAll(() => app[Symbol.asyncDispose]())

/** Sends the target as is. `fetch` would normalize it. */
const send = (path: string, method = 'GET') =>
  new Promise<number | undefined>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    const sent = request(app.url, { path, method, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode))
    })
    sent.on('error', reject).end()
  })

test.each([
  '//',
  '//health',
  '/health//',
  '/api//v1/projects',
  '//api/v1/projects',
  '//evil.example/health',
  '/./health',
  '/api/./v1/projects',
  '/x/../health',
  '/api/v1/projects/..',
  '/api/v1/projects/.',
  '/../../etc/passwd',
  '/%2e%2e/health',
  '/x/%2E%2e/health',
  '/x/.%2e/health',
  '/%2e/health',
  '/\\health',
  '/api\\v1\\projects',
  '/health\\',
  '/api%5cv1/projects',
  '/api%5Cv1/projects',
  '/api%2fv1%2fprojects',
  '/api%2Fv1/projects',
  '/trpc%2fhealth',
  '/trpc//health',
  '/health%00',
  '/health%00.json',
  '/%0d%0aSet-Cookie:x',
  '/%7f',
  '/%c2%85',
  '/%',
  '/%2',
  '/%zz',
  '/%E0%A4%A',
  '/%ff',
  '/%c0%af',
  '/%c0%ae%c0%ae/health',
  '/%ed%a0%80',
  '/h\u00e9alth',
  '/health#x',
  '/health?x=\u00e9',
  '/health?x#y',
  'health',
  'http://localhost/health',
  'HTTP://evil.example/health',
  'http://user@[::1/health',
  `/${'x'.repeat(8_192)}`,
  `/health?${'x'.repeat(8_192)}`,
])('refuses the target %s before routing', async (target) => {
  expect(await send(target)).toBe(400)
})

test('a target beyond the limit of Node is refused too', async () => {
  expect(await send(`/${'x'.repeat(20_000)}`)).toBe(431)
})

test('the target * is refused', async () => {
  expect(await send('*', 'OPTIONS')).toBe(400)
  expect(await send('*')).toBe(400)
})

test.each([
  ['/health', 200],
  ['/health?a=//../%2f%00\\', 200],
  ['/health?', 200],
  ['/%68ealth', 404],
  ['/health/', 404],
  ['/nowhere/', 404],
  ['/trpc/health', 200],
  ['/trpc/health%2Chealth?batch=1', 200],
  ['/api/v1/projects/caf%C3%A9', 404],
  ['/api/v1/projects/a%20b+c', 404],
  ['/api/v1/projects/%252e%252e', 404],
  ['/api/v1/projects/...', 404],
  ['/api/v1/projects/a..b', 404],
  ['/api/v1/projects/[x]|^~!$&()*,;=:@', 404],
  [`/health?${'x'.repeat(8_000)}`, 200],
])('accepts the target %s', async (target, status) => {
  expect(await send(target)).toBe(status)
})

const runs = { numRuns: 2_000 }

const accepts = (target: string) => {
  try {
    requirePlainTarget(target)
    return true
  } catch (error) {
    if (error instanceof AppError && error.status === 400) return false
    throw error
  }
}

const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((text) => text.isWellFormed() && !/[/\\\p{Cc}]/u.test(text) && text !== '.' && text !== '..')

test('every name is accepted in a path when it is encoded', () => {
  fc.assert(
    fc.property(fc.array(name, { maxLength: 5 }), (names) => accepts(`/${names.map(encodeURIComponent).join('/')}`)),
    runs,
  )
})

const pieces = [
  '/',
  '//',
  '.',
  '..',
  '%2e',
  '%2E',
  '%2f',
  '%5C',
  '\\',
  '%00',
  '%',
  '%zz',
  '%41',
  '%C3%A9',
  'a',
  '~',
  '?',
]

test('every accepted target has only one reading, for generated targets', () => {
  let accepted = 0
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 10 }), (parts) => {
      const target = `/${parts.join('')}`
      if (!accepts(target)) return
      accepted++
      const [path = ''] = target.split('?')
      expect(new URL(target, 'http://localhost').pathname).toBe(path)
      expect(new URL(target, 'http://localhost').host).toBe('localhost')
      const decoded = decodeURIComponent(path)
      expect(decoded.split('/')).toHaveLength(path.split('/').length)
      expect(new URL(decoded.replaceAll('%', '%25'), 'http://localhost').pathname.split('/')).toHaveLength(
        path.split('/').length,
      )
    }),
    runs,
  )
  expect(accepted).toBeGreaterThan(100)
})

test('any text is either accepted or refused with an AppError', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
      accepts(text)
      accepts(`/${text}`)
    }),
    runs,
  )
})
