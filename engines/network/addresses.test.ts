import { expect, test } from 'vitest'
import { isAllowed, isListed, OutboundRefusedError, parseCidrs, resolveAllowed } from './addresses.ts'

const never = new AbortController().signal

test.each([
  ['this network', '0.0.0.0'],
  ['this network, not only its first address', '0.1.2.3'],
  ['private 10/8', '10.0.0.1'],
  ['private 172.16/12, first', '172.16.0.0'],
  ['private 172.16/12, last', '172.31.255.255'],
  ['private 192.168/16', '192.168.178.1'],
  ['carrier-grade NAT, first', '100.64.0.0'],
  ['carrier-grade NAT, last', '100.127.255.255'],
  ['loopback', '127.0.0.1'],
  ['loopback, last', '127.255.255.255'],
  ['link-local', '169.254.0.1'],
  ['cloud metadata', '169.254.169.254'],
  ['protocol assignments', '192.0.0.1'],
  ['documentation 1', '192.0.2.1'],
  ['documentation 2', '198.51.100.1'],
  ['documentation 3', '203.0.113.1'],
  ['6to4 relays', '192.88.99.1'],
  ['AS112', '192.175.48.1'],
  ['benchmarking, first', '198.18.0.0'],
  ['benchmarking, last', '198.19.255.255'],
  ['multicast', '224.0.0.1'],
  ['multicast, last', '239.255.255.255'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified', '::'],
  ['IPv6 loopback', '::1'],
  ['IPv4-compatible loopback', '::127.0.0.1'],
  ['IPv4-compatible public', '::8.8.8.8'],
  ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
  ['IPv4-mapped loopback in hexadecimal', '::ffff:7f00:1'],
  ['IPv4-mapped public', '::ffff:8.8.8.8'],
  ['IPv4-translated', '::ffff:0:8.8.8.8'],
  ['NAT64', '64:ff9b::7f00:1'],
  ['NAT64 of a public address', '64:ff9b::808:808'],
  ['local NAT64', '64:ff9b:1::1'],
  ['discard-only', '100::1'],
  ['Teredo', '2001::1'],
  ['IPv6 benchmarking', '2001:2::1'],
  ['ORCHID', '2001:20::1'],
  ['IETF protocol assignments', '2001:1ff::1'],
  ['IPv6 documentation', '2001:db8::1'],
  ['second IPv6 documentation', '3fff::1'],
  ['6to4', '2002:7f00:1::'],
  ['segment routing', '5f00::1'],
  ['unassigned', '4000::1'],
  ['unassigned below 2000::/3', '1fff::1'],
  ['unique local', 'fd00::1'],
  ['unique local, unassigned half', 'fc00::1'],
  ['IPv6 link-local', 'fe80::1'],
  ['IPv6 link-local with a zone', 'fe80::1%eth0'],
  ['public with a zone', '2606:4700::1111%eth0'],
  ['site-local', 'fec0::1'],
  ['IPv6 multicast', 'ff02::1'],
  ['octal', '0177.0.0.1'],
  ['a number', '2130706433'],
  ['shortened', '8.8'],
  ['no address', 'example.com'],
  ['nothing', ''],
])('refuses %s: %s', (_name, address) => {
  expect(isAllowed(address, [])).toBe(false)
})

test.each(['8.8.8.8', '1.1.1.1', '9.255.255.255', '172.32.0.1', '100.128.0.1', '223.255.255.255', '2606:4700::1111'])(
  'lets traffic go to the public address %s',
  (address) => {
    expect(isAllowed(address, [])).toBe(true)
  },
)

test('an allowed network opens itself and nothing beside it', () => {
  const allow = parseCidrs('127.0.0.0/8, fd12::/16 10.1.2.3')
  expect(isAllowed('127.0.0.1', allow)).toBe(true)
  expect(isAllowed('fd12::1', allow)).toBe(true)
  expect(isAllowed('10.1.2.3', allow)).toBe(true)
  expect(isAllowed('10.1.2.4', allow)).toBe(false)
  expect(isAllowed('fd13::1', allow)).toBe(false)
  expect(isAllowed('::1', allow)).toBe(false)
  expect(isAllowed('169.254.169.254', allow)).toBe(false)
})

test('an address that carries an allowed one is allowed only where it leads straight there', () => {
  const allow = parseCidrs('127.0.0.0/8')
  expect(isAllowed('::ffff:127.0.0.1', allow)).toBe(true)
  expect(isAllowed('::ffff:10.0.0.1', allow)).toBe(false)
  expect(isAllowed('::127.0.0.1', allow)).toBe(false)
  expect(isAllowed('64:ff9b::7f00:1', allow)).toBe(false)
  expect(isAllowed('2002:7f00:1::', allow)).toBe(false)
})

test('allowing all of IPv4 does not open IPv6', () => {
  expect(isAllowed('::1', ['0.0.0.0/0'])).toBe(false)
})

test('a public address is allowed without being listed', () => {
  expect(isListed('8.8.8.8', ['127.0.0.0/8'])).toBe(false)
  expect(isListed('127.3.2.1', ['127.0.0.0/8'])).toBe(true)
})

test('an empty list of networks is a valid one', () => {
  expect(parseCidrs('')).toEqual([])
  expect(parseCidrs(' 10.0.0.0/8,\n::1/128 ')).toEqual(['10.0.0.0/8', '::1/128'])
})

test.each([
  '10.0.0.0/33',
  '::/129',
  '10.0.0/8',
  '0177.0.0.1/8',
  'localhost',
  '10.0.0.0/',
  '10.0.0.0/-1',
  '/8',
  'fe80::1%1/64',
])('says that %s is not a network', (entry) => {
  expect(() => parseCidrs(`127.0.0.0/8,${entry}`)).toThrow(`not understood: "${entry}"`)
})

test('names all wrong networks at once', () => {
  expect(() => parseCidrs('here, ::1, there')).toThrow('not understood: "here", "there"')
})

test.each([
  '127.0.0.1',
  '0x7f.1',
  '0177.0.0.1',
  '2130706433',
  '１２７.0.0.1',
  '127。0。0。1',
  '127.1',
  '::1',
  '[::1]',
  '[::ffff:7f00:1]',
  'localhost',
  'LOCALHOST.',
])('sees loopback in %s', async (host) => {
  await expect(resolveAllowed(host, [], never)).rejects.toMatchObject({ code: 'address_refused' })
})

test('returns the addresses to connect to', async () => {
  await expect(resolveAllowed('0x7f.1', ['127.0.0.0/8'], never)).resolves.toEqual(['127.0.0.1'])
  await expect(resolveAllowed('[::1]', ['::1'], never)).resolves.toEqual(['::1'])
  await expect(resolveAllowed('8.8.8.8', [], never)).resolves.toEqual(['8.8.8.8'])
  const local = await resolveAllowed('localhost', ['127.0.0.0/8', '::1'], never)
  expect(local.length).toBeGreaterThan(0)
})

test('one refused address among allowed ones refuses the host', async () => {
  // Loopback has addresses of both families on most machines; where it has one, the list does not name that one.
  const addresses = await resolveAllowed('localhost', ['127.0.0.0/8', '::1'], never)
  await expect(resolveAllowed('localhost', addresses.slice(1), never)).rejects.toMatchObject({
    code: 'address_refused',
  })
})

test.each([
  '',
  'a b',
  'user@example.com',
  'example.com/path',
  'example.com:80',
  'exa\nmple.com',
  '[::1',
  '%31.0.0.1',
  '.',
])('refuses %j as a host name', async (host) => {
  await expect(resolveAllowed(host, ['0.0.0.0/0', '::/0'], never)).rejects.toMatchObject({ code: 'invalid_host' })
})

test('says which host name is unknown', async () => {
  const failure = await resolveAllowed('nowhere.invalid', [], never).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(OutboundRefusedError)
  expect(failure).toMatchObject({
    code: 'host_not_found',
    message: 'The host name nowhere.invalid could not be resolved.',
  })
})

test('stops waiting for the name server when the caller gives up', async () => {
  await expect(resolveAllowed('nowhere.invalid', [], AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
})
