import { request } from 'node:http'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createSessionFor, createUser } from '../testing/factories.ts'
import { addressBlock, canonicalAddress } from './client-address.ts'

const runs = { numRuns: 2_000 }

test.each([
  ['203.0.113.7', '203.0.113.7'],
  [' 203.0.113.7\t', '203.0.113.7'],
  ['203.0.113.7:4711', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['[::ffff:203.0.113.7]:4711', '203.0.113.7'],
  ['2001:DB8::1', '2001:db8::1'],
  ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%25eth0]:80', 'fe80::1'],
])('%s is %s', (text, canonical) => {
  expect(canonicalAddress(text)).toBe(canonical)
})

test.each([
  '',
  'unknown',
  '_hidden',
  'localhost',
  'unix:',
  '1.2.3',
  '1.2.3.4.5',
  '256.1.1.1',
  '010.0.0.1',
  '1.2.3.04',
  '0x7f.0.0.1',
  '2130706433',
  '1.2.3.4/8',
  '1.2.3.4:',
  '1.2.3.4:123456',
  '2001:db8::1::2',
  '[2001:db8::1',
  '2001:db8::1]',
  '2001:db8::1/64',
  '::ffff:010.0.0.1',
  '::ffff:256.0.0.1',
  '12345::',
  '1.2.3.4, 5.6.7.8',
  '\u0661.2.3.4',
  "' OR 1=1",
])('"%s" is not an address', (text) => {
  expect(canonicalAddress(text)).toBeUndefined()
})

const port = fc.integer({ min: 1, max: 65_535 })

test('every spelling of an IPv4 address has the same canonical form', () => {
  fc.assert(
    fc.property(fc.ipV4(), port, fc.boolean(), (address, port, upper) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
      const hex = (high: number, low: number) => (high * 256 + low).toString(16)
      const spellings = [
        address,
        ` ${address} `,
        `${address}:${port}`,
        `::ffff:${address}`,
        `::ffff:${hex(a, b)}:${hex(c, d)}`,
        `0:0:0:0:0:ffff:${address}`,
        `[::ffff:${address}]:${port}`,
        `[0000:0000:0000:0000:0000:ffff:${hex(a, b)}:${hex(c, d)}]`,
      ]
      for (const spelling of spellings) {
        expect(canonicalAddress(upper ? spelling.toUpperCase() : spelling), spelling).toBe(address)
      }
      expect(addressBlock(address)).toBe(address)
    }),
    runs,
  )
})

/** Eight groups, many of them zero, without IPv4-mapped addresses. */
const groups = fc
  .array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), { minLength: 8, maxLength: 8 })
  .filter((parts) => parts.slice(0, 5).some((part) => part !== 0) || parts[5] !== 0xffff)

test('every spelling of an IPv6 address has the same canonical form', () => {
  fc.assert(
    fc.property(groups, port, fc.nat(7), fc.nat(7), (parts, port, from, length) => {
      const long = parts.map((part) => part.toString(16).padStart(4, '0')).join(':')
      const plain = parts.map((part) => part.toString(16)).join(':')
      const canonical = canonicalAddress(plain)
      const zeros = parts.slice(from, from + length + 1)
      const compressed = zeros.every((part) => part === 0)
        ? `${parts
            .slice(0, from)
            .map((part) => part.toString(16))
            .join(':')}::${parts
            .slice(from + zeros.length)
            .map((part) => part.toString(16))
            .join(':')}`
        : plain
      for (const text of [long, compressed, plain.toUpperCase(), `${plain}%eth0`, `[${plain}]`, `[${long}]:${port}`]) {
        expect(canonicalAddress(text), text).toBe(canonical)
      }
      expect(canonicalAddress(canonical ?? '')).toBe(canonical)
      expect(ipaddr.IPv6.parse(canonical ?? '').parts).toEqual(parts)
    }),
    runs,
  )
})

test('two addresses share a block exactly if they share their /64', () => {
  const block = (parts: number[]) =>
    addressBlock(canonicalAddress(parts.map((part) => part.toString(16)).join(':')) ?? '')
  fc.assert(
    fc.property(groups, groups, fc.nat(3), fc.integer({ min: 1, max: 0xffff }), (one, other, index, change) => {
      fc.pre(one.slice(0, 5).some((part) => part !== 0))
      const network = one.slice(0, 4)
      fc.pre(network.some((part) => part !== 0))
      expect(block([...network, ...other.slice(4)])).toBe(block(one))
      const elsewhere = one.map((part, at) => (at === index ? (part ^ change) & 0xffff : part))
      fc.pre(elsewhere.slice(0, 4).some((part) => part !== 0))
      expect(block(elsewhere)).not.toBe(block(one))
    }),
    runs,
  )
})

test('other text is not an address and never throws, and every address has a block', () => {
  const junk = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('1', '0', 'f', '.', ':', '::', '[', ']', '%', '/', ' ', 'ffff', '255', '256'), {
        maxLength: 16,
      })
      .map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(junk, (text) => {
      const canonical = canonicalAddress(text)
      if (canonical === undefined) return
      expect(canonicalAddress(canonical)).toBe(canonical)
      expect(addressBlock(canonical)).not.toBe('')
    }),
    runs,
  )
})

/** Returns the recorded address of a call with these headers. */
async function recordedAddress(app: TestApp, forwarded: string | string[] | undefined): Promise<string> {
  const { cookie, sessionId } = await createSessionFor(app, await createUser(app))
  const headers = { cookie, ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }) }
  await new Promise<void>((resolve, reject) => {
    const sent = request(`${app.url}/api/auth/sign-out`, { method: 'POST', headers }, (answer) => {
      answer.resume().on('end', resolve)
    })
    sent.on('error', reject).end()
  })
  const rows = await app.dataSource.query(
    "SELECT ip_address FROM audit_logs WHERE metadata->>'sessionId' = $1 AND action <> 'login'",
    [sessionId],
  )
  expect(rows).toHaveLength(1)
  return rows[0].ip_address
}

test('without a proxy, a spoofed X-Forwarded-For has no effect', async () => {
  await using app = await createTestApp({ trustProxy: 0 })
  for (const forwarded of [undefined, '203.0.113.7', '1.1.1.1, 2.2.2.2', '', ['203.0.113.7', '::1']]) {
    expect(await recordedAddress(app, forwarded)).toBe('127.0.0.1')
  }
})

test('behind one proxy, the last address counts, and those before it do not', async () => {
  await using app = await createTestApp({ trustProxy: 1 })
  const cases: [string | string[] | undefined, string][] = [
    ['203.0.113.7', '203.0.113.7'],
    ['6.6.6.6, 203.0.113.7', '203.0.113.7'],
    ['6.6.6.6,,203.0.113.7', '203.0.113.7'],
    [['6.6.6.6', '203.0.113.7'], '203.0.113.7'],
    ['6.6.6.6, 203.0.113.7:4711', '203.0.113.7'],
    ['6.6.6.6, [2001:DB8::7]:4711', '2001:db8::7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    // If the last entry is not an address, the proxy's address counts, never one from the caller.
    ['6.6.6.6, unknown', '127.0.0.1'],
    ['6.6.6.6,', '127.0.0.1'],
    ['junk', '127.0.0.1'],
    ['', '127.0.0.1'],
    [undefined, '127.0.0.1'],
  ]
  for (const [forwarded, address] of cases) expect(await recordedAddress(app, forwarded)).toBe(address)
})

test('behind two proxies, the second to last address counts, or the first if there are fewer', async () => {
  await using app = await createTestApp({ trustProxy: 2 })
  expect(await recordedAddress(app, '6.6.6.6, 203.0.113.7, 10.0.0.1')).toBe('203.0.113.7')
  expect(await recordedAddress(app, ['6.6.6.6, 203.0.113.7', '10.0.0.1'])).toBe('203.0.113.7')
  expect(await recordedAddress(app, '203.0.113.7')).toBe('203.0.113.7')
  expect(await recordedAddress(app, '6.6.6.6, unknown, 10.0.0.1')).toBe('127.0.0.1')
})
