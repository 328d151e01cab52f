import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { AppError } from '../../base/errors.ts'
import { safeCallbackUrl } from './callback-url.ts'

const { config } = readConfig({
  NODE_ENV: 'production',
  BASE_URL: 'https://assay.example.com',
  DATABASE_URL: 'postgres://localhost/none',
  SECRET_KEY: 'a key for tests that is long enough to be one',
  CORS_ORIGINS: 'https://app.example.com,http://localhost:5173',
})
if (!config) throw new Error('the configuration of this test is wrong')
const trusted = ['https://assay.example.com', 'https://app.example.com', 'http://localhost:5173']
const check = (text: string) => safeCallbackUrl(config, text)

test.each([
  ['/', 'https://assay.example.com/'],
  ['/projects/1?tab=runs&next=%2Fb#top', 'https://assay.example.com/projects/1?tab=runs&next=%2Fb#top'],
  ['/a/../b', 'https://assay.example.com/b'],
  ['https://assay.example.com', 'https://assay.example.com/'],
  ['https://app.example.com/signed-in', 'https://app.example.com/signed-in'],
  ['http://localhost:5173?welcome', 'http://localhost:5173/?welcome'],
  ['/caf%C3%A9', 'https://assay.example.com/caf%C3%A9'],
])('%s gives an absolute URL', (text, expected) => {
  expect(check(text)).toBe(expected)
})

test.each([
  '',
  ' /',
  'projects',
  '?a=b',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  '/%2fevil.example',
  '/%2Fevil.example',
  '/%5cevil.example',
  '/%252fevil.example',
  '/%25255Cevil.example',
  '/%09/evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/%0d%0aSet-Cookie:a=b',
  '/?a=%0d%0aSet-Cookie:a=b',
  '/?a=%250d%250a',
  '/\r\nSet-Cookie: a=b',
  '/a\u0000b',
  '/\u2028',
  '/／evil.example',
  'https:evil.example',
  'https:/evil.example',
  'https:///evil.example',
  'https://evil.example',
  'https://assay.example.com.evil.example',
  'https://assay.example.comevil.example',
  'https://assay.example.com@evil.example/',
  'https://assay.example.com:password@evil.example/',
  'https://user@assay.example.com/',
  'https://user:password@assay.example.com/',
  'https://assay.example.com:444/',
  'https://assay.example.com:443@evil.example/',
  'https://assay.example.com\\@evil.example/',
  'https://assay.example.com//evil.example',
  'http://assay.example.com/',
  'http://localhost:5174/',
  'http://localhost:51730/',
  'HTTPS://assay.example.com/',
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'mailto:a@b.example',
  `/${'a'.repeat(2_048)}`,
])('refuses %j and names the field', (text) => {
  expect(() => check(text)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }))
  expect(() => check(text)).toThrow(/^callbackURL: /)
})

test('the message names the input field', () => {
  expect(() => safeCallbackUrl(config, '//evil', 'errorCallbackURL')).toThrow(/^errorCallbackURL: /)
})

const tricks = [
  '/',
  '//',
  '\\',
  '@',
  ':',
  '.',
  '..',
  '?',
  '#',
  '%2f',
  '%5C',
  '%09',
  '%0d',
  '%25',
  '\t',
  '\n',
  '\r',
  ' ',
]
const hosts = [
  'https:',
  'http://',
  'evil.example',
  'user:pw',
  'javascript:',
  '444',
  'a',
  '/a',
  '[::1]',
  '。',
  '／',
  '\0',
]
const pieces = fc.constantFrom(...tricks, ...hosts, ...trusted)
const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
  fc.tuple(fc.constantFrom('/', ...trusted), fc.array(pieces, { maxLength: 6 })).map(([a, b]) => a + b.join('')),
)

test('every accepted URL has a trusted origin, for Node and for a browser, and no credentials', () => {
  let accepted = 0
  fc.assert(
    fc.property(texts, (text) => {
      let answer: string
      try {
        answer = check(text)
      } catch (error) {
        expect(error).toBeInstanceOf(AppError)
        return
      }
      accepted += 1
      for (const url of [
        new URL(answer),
        new URL(text, config.baseUrl),
        new URL(answer, 'https://elsewhere.example'),
      ]) {
        expect(trusted).toContain(url.origin)
        expect([url.username, url.password]).toEqual(['', ''])
        expect(url.pathname).not.toMatch(/^[/\\]{2}/)
      }
      // Decoded once more, the path still names no other host.
      expect(
        decodeURIComponent(
          new URL(answer).pathname.replace(/%(?![0-9a-f]{2})/gi, '%25').replace(/%[89a-f][0-9a-f]/gi, ''),
        ),
      ).not.toMatch(/^[/\\]{2}|[\r\n\t]/)
      expect(check(answer)).toBe(answer)
    }),
    { numRuns: 2_000 },
  )
  expect(accepted).toBeGreaterThan(40)
})

test('every path of harmless characters is accepted', () => {
  const segment = fc.stringMatching(/^[A-Za-z0-9_~.-]{1,20}$/)
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 6 }), (segments) => {
      expect(new URL(check(`/${segments.join('/')}`)).origin).toBe(trusted[0])
    }),
  )
})
