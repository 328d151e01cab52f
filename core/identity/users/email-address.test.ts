import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalEmail } from './email-address.ts'

const attempt = (text: string) => {
  try {
    return canonicalEmail(text)
  } catch {
    return undefined
  }
}

/** Generates addresses and near misses: significant pieces in any order, with arbitrary text between them. */
const addressLike = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...'aZkKſéÉΣςσ@@.-+_'.split(''),
        '\u212A',
        '\uFF21',
        '\uFF20',
        '\uFE50',
        'e\u0301',
        '\u0130',
        'example.com',
        '\r\n',
        ',',
        '<',
        '"',
        ' ',
        '\u200B',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''))

test('canonicalization is idempotent', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        addressLike,
        addressLike.map((text) => `${text}@example.com`),
      ),
      (text) => {
        const email = attempt(text)
        if (email !== undefined) expect(canonicalEmail(email)).toBe(email)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('no accepted address can end a header, add a second recipient or hide a character', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        addressLike,
        addressLike.map((text) => `a${text}@example.com`),
      ),
      (text) => {
        const email = attempt(text)
        if (email === undefined) return
        expect(email).not.toMatch(/[\p{C}\p{Z},;:<>()[\]"\\]/u)
        expect(email.split('@')).toHaveLength(2)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('case and Unicode form do not make a different address', () => {
  const letters = fc.string({
    unit: fc.constantFrom(...'abkszéüñжяλω0'.split(''), '가', 'σ'),
    minLength: 1,
    maxLength: 12,
  })
  const forms = fc.constantFrom<'NFC' | 'NFD' | 'NFKC' | 'NFKD'>('NFC', 'NFD', 'NFKC', 'NFKD')
  fc.assert(
    fc.property(letters, letters, forms, (local, domain, form) => {
      const email = canonicalEmail(`${local}@${domain}.example`)
      expect(canonicalEmail(`${local}@${domain}.example`.normalize(form))).toBe(email)
      expect(canonicalEmail(`  ${local.toUpperCase()}@${domain.toUpperCase()}.EXAMPLE\n`.normalize(form))).toBe(email)
    }),
    { numRuns: 5_000 },
  )
})

test.each([
  ['Ada.Lovelace+Work@Example.COM', 'ada.lovelace+work@example.com'],
  ['\u212Aelvin@example.com', 'kelvin@example.com'],
  ['ａｄａ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'ada@example.com'],
  ['jose\u0301@example.com', 'josé@example.com'],
  ['info@München.de', 'info@xn--mnchen-3ya.de'],
  ['owner@localhost', 'owner@localhost'],
])('%s is %s', (written, canonical) => {
  expect(canonicalEmail(written)).toBe(canonical)
})

test('a similar-looking letter makes a different address', () => {
  // Turkish dotless i, whose capital is I, and Cyrillic a.
  expect(canonicalEmail('ın@example.com')).not.toBe('in@example.com')
  expect(canonicalEmail('аda@example.com')).not.toBe('ada@example.com')
})

test.each([
  '',
  'ada',
  '@example.com',
  'ada@',
  'ada@example.com@evil.example',
  'ada@example.com, eve@evil.example',
  'ada@example.com\r\nBcc: eve@evil.example',
  'ada\r\nBcc:eve@evil.example',
  'ada@example.com\0',
  'ada lovelace@example.com',
  'Ada <ada@example.com>',
  '"ada"@example.com',
  '.ada@example.com',
  'ada..l@example.com',
  'ada@example..com',
  'ada@-example.com',
  'ada@127.0.0.1',
  'ada@0x7f.1',
  'ada@[127.0.0.1]',
  'ada@ex%61mple.com',
  'ada\u200B@example.com',
  'ada\u202E@example.com',
  'ada@exam\u00ADple.com',
  '\uD800@example.com',
  `${'a'.repeat(65)}@example.com`,
  `${'é'.repeat(33)}@example.com`,
  `ada@${'a'.repeat(64)}.com`,
  `ada@${'a.'.repeat(125)}com`,
  `ada@${'a'.repeat(2_000)}`,
])('%.40j is refused', (text) => {
  const refusal = { code: 'VALIDATION_ERROR', message: expect.stringMatching(/^email: /) }
  expect(() => canonicalEmail(text)).toThrow(expect.objectContaining(refusal))
})
