import { ServerResponse, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import fc from 'fast-check'
import Koa from 'koa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Config } from '../../config.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createSessionFor } from '../../testing/factories.ts'
import { clearSessionCookie, readCookie, sessionCookie, setCookie, setSessionCookie } from './cookie.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const runs = { numRuns: 2_000 }

// The characters that the standard allows in names and values.
const names = fc.oneof(
  fc.constantFrom(sessionCookie, '__proto__', 'constructor', 'toString', `${sessionCookie}2`, 'session_token'),
  fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,12}$/),
)
const values = fc.stringMatching(/^[!#$%&'()*+\-./0-9:<=>?@A-Z[\]^_`a-z{|}~]{0,30}$/)
const pairs = fc.array(fc.tuple(names, values, fc.boolean()), { maxLength: 8 })
const blanks = fc.stringMatching(/^[ \t]{0,2}$/)

test('finds all cookies with a name that a browser sends, in order', () => {
  fc.assert(
    fc.property(pairs, names, blanks, (sent, asked, blank) => {
      const header = sent
        .map(([name, value, quoted]) => `${blank}${name}${blank}=${blank}${quoted ? `"${value}"` : value}${blank}`)
        .join(';')
      const expected = sent.flatMap(([name, value]) => (name === asked ? [value] : []))
      expect(readCookie(header, asked)).toEqual(expected)
    }),
    runs,
  )
})

test('for any header, returns a list of its parts and never throws', () => {
  const pieces = fc.constantFrom(sessionCookie, '=', ';', '"', ' ', ',', '\t', 'a', '__proto__', '\u00a0', '%3D', '\\')
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(anything, (header) => {
      for (const value of readCookie(header, sessionCookie)) {
        expect(value).not.toContain(';')
        expect(header).toContain(value)
      }
    }),
    runs,
  )
})

test.each([
  [undefined, []],
  ['', []],
  [sessionCookie, []],
  [`=${sessionCookie}=x`, []],
  [`${sessionCookie}=`, ['']],
  [`${sessionCookie}=""`, ['']],
  [`${sessionCookie}="`, ['"']],
  [`${sessionCookie}="a`, ['"a']],
  [`${sessionCookie}="a"b"`, ['a"b']],
  [`${sessionCookie}=a=b==`, ['a=b==']],
  [`${sessionCookie}=a, ${sessionCookie}=b`, [`a, ${sessionCookie}=b`]],
  [`${sessionCookie}=a;${sessionCookie}=a; ${sessionCookie}=b`, ['a', 'a', 'b']],
  [`SERVICE.SESSION_TOKEN=a`, []],
  [`x${sessionCookie}=a`, []],
  [`${sessionCookie}x=a`, []],
  [`\u00a0${sessionCookie}=a`, []],
  [`${sessionCookie}=%61`, ['%61']],
])('in the header %j, finds %j', (header, found) => {
  expect(readCookie(header, sessionCookie)).toEqual(found)
})

function answering(change: Partial<Config> = {}) {
  const koa = new Koa().createContext(
    new IncomingMessage(new Socket()),
    new ServerResponse(new IncomingMessage(new Socket())),
  )
  return { koa, config: { ...app.config, ...change }, sent: () => [koa.res.getHeader('Set-Cookie')].flat() }
}

test('setting a cookie keeps all others and replaces the one with the same name', () => {
  const { koa, config, sent } = answering()
  koa.res.setHeader('Set-Cookie', 'alone=1')
  setCookie(koa, config, 'state', 'one', 600)
  setCookie(koa, config, 'state2', 'x', 600)
  setSessionCookie(koa, config, 'first')
  setSessionCookie(koa, config, 'second')
  setCookie(koa, config, 'state', 'two', 600)
  expect(sent().map((cookie) => String(cookie).split(';')[0])).toEqual([
    'alone=1',
    'state2=x',
    `${sessionCookie}=second`,
    'state=two',
  ])
  clearSessionCookie(koa, config)
  expect(sent().at(-1)).toBe(`${sessionCookie}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax`)
  expect(sent()).toHaveLength(4)
})

test('the cookie is Secure exactly if BASE_URL is https', () => {
  for (const [baseUrl, secure] of [
    ['https://assay.example.com', true],
    ['http://localhost:4000', false],
  ] as const) {
    const { koa, config, sent } = answering({ baseUrl })
    setSessionCookie(koa, config, 'token')
    expect(String(sent()[0]).endsWith('; HttpOnly; SameSite=Lax; Secure')).toBe(secure)
  }
})

test('two different session cookies are refused with an explanation', async () => {
  const [mine, other] = [await createSessionFor(app), await createSessionFor(app)]
  const profile = async (cookie: string) => {
    const response = await app.fetch('/trpc/auth.getProfile', { cookie })
    const { message } = (await response.json()) as { message?: string }
    return [response.status, message, response.headers.getSetCookie()]
  }
  const refused = [401, expect.stringMatching(`two different cookies named ${sessionCookie}.*Delete`), []]
  expect(await profile(`${mine.cookie}; ${other.cookie}`)).toEqual(refused)
  expect(await profile(`${other.cookie}; ${mine.cookie}`)).toEqual(refused)
  expect(await profile(`${sessionCookie}=planted; ${mine.cookie}`)).toEqual(refused)
  expect(await profile(`${mine.cookie}; ${sessionCookie}=`)).toEqual(refused)
  expect((await profile(`${mine.cookie}; ${mine.cookie}`))[0]).toBe(200)
  expect((await profile(`${mine.cookie}; x${sessionCookie}=planted`))[0]).toBe(200)
})

test('malformed cookies beside or instead of the session cookie are ignored', async () => {
  const { cookie } = await createSessionFor(app)
  for (const odd of ['__proto__=x', 'constructor=x', '=', ';;;', 'a', '"', 'a="b;c"', `x=${'y'.repeat(5_000)}`]) {
    expect((await app.fetch('/api/auth/get-session', { cookie: `${odd}; ${cookie}` })).status, odd).toBe(200)
    expect((await app.fetch('/api/auth/get-session', { cookie: odd })).status, odd).toBe(401)
  }
  expect((await app.fetch('/api/auth/get-session', { cookie: cookie.replace('=', '="') + '"' })).status).toBe(200)
})
