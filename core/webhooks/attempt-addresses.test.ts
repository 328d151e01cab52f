import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { nameServers } from '../../engines/network/name-servers.ts'
import { createDnsServer, type DnsServer } from '../../engines/network/testing.ts'
import { deafReceiver, listening, type Receiver } from '../testing/receiver.ts'
import { attemptDelivery, type AttemptOptions } from './attempt.ts'

const never = new AbortController().signal
const loopback = ['127.0.0.0/8', '::1/128']

/** Listens on every address of this machine. */
let canary: Receiver
let dns: DnsServer
let options: AttemptOptions
let folder: string
let hostsFile: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-hosts-'))
  hostsFile = join(folder, 'hosts')
  await writeFile(hostsFile, '127.0.0.1 localhost\n::1 localhost\n127.0.0.9 ci.internal\n')
  canary = await listening(
    createServer((_, response) => response.end('heard')),
    { host: '::' },
  )
  dns = await createDnsServer()
})

beforeEach(() => {
  dns.records.clear()
  dns.asked.length = 0
  canary.connections = 0
  options = {
    allowCidrs: [],
    requireHttps: false,
    connectTimeoutMs: 1_000,
    timeoutMs: 3_000,
    resolver: nameServers({ servers: [dns.address], timeoutMs: 250, hostsFile }),
  }
})

afterAll(async () => {
  await canary[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const send = (host: string, given: Partial<AttemptOptions> = {}) =>
  attemptDelivery({ url: `http://${host}:${canary.port}/`, body: '{}', headers: {} }, { ...options, ...given }, never)

test.each([
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '0x7f.1',
  '0x7f000001',
  '0177.0.0.1',
  '0177.0.0.01',
  '017700000001',
  '2130706433',
  '１２７.0.0.1',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fe80::1%25lo]',
  '[fe80::1%lo]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fec0::1]',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
])('does not connect to %s', async (host) => {
  const outcome = await send(host)
  expect(outcome).toMatchObject({ responseStatus: null, address: null })
  expect(outcome.error).toMatch(/is not an address of the public internet|is not valid for a webhook/)
  expect(canary.connections).toBe(0)
  expect(dns.asked).toEqual([])
})

test.each(['127.0.0.1', '0x7f.1', '１２７.0.0.1', '[::1]', '[::ffff:7f00:1]', 'localhost', 'LOCALHOST.'])(
  'connects to %s if it is allowed',
  async (host) => {
    expect(await send(host, { allowCidrs: loopback })).toMatchObject({ responseStatus: 200, responseHead: 'heard' })
    expect(canary.connections).toBe(1)
    expect(dns.asked).toEqual([])
  },
)

test('uses the hosts file only if its network is allowed', async () => {
  expect(await send('ci.internal')).toMatchObject({ error: 'The host name ci.internal could not be resolved.' })
  expect(new Set(dns.asked)).toEqual(new Set(['ci.internal']))
  const given = { allowCidrs: ['127.0.0.0/8'], resolver: nameServers({ servers: [dns.address], hostsFile }) }
  expect(await send('ci.internal', given)).toMatchObject({ responseStatus: 200, address: '127.0.0.9' })
})

test('the error for localhost names the setting that allows it', async () => {
  for (const allowCidrs of [[], ['10.0.0.0/8'], ['127.0.0.0/8']]) {
    expect((await send('localhost', { allowCidrs })).error).toMatch(
      /^localhost is not an address of the public internet.*OUTBOUND_ALLOW_CIDRS.*127\.0\.0\.0\/8,::1\/128/,
    )
  }
  expect(canary.connections).toBe(0)
  expect(dns.asked).toEqual([])
})

test('resolves a name as written, without search domains', async () => {
  expect(await send('Receiver.', { allowCidrs: loopback })).toMatchObject({ responseStatus: null })
  expect(new Set(dns.asked)).toEqual(new Set(['receiver']))
})

test.each([
  ['loopback', ['127.0.0.1']],
  ['IPv6 loopback', ['::1']],
  ['metadata', ['169.254.169.254']],
  ['loopback behind a public address', ['8.8.8.8', '127.0.0.1']],
  ['loopback before a public address', ['127.0.0.1', '8.8.8.8']],
  ['a mapped address behind a public one', ['8.8.8.8', '::ffff:127.0.0.1']],
  ['IPv6 loopback beside a public address', ['8.8.8.8', '::1']],
])('does not connect to a name that resolves to %s', async (_, addresses) => {
  dns.records.set('receiver.example.com', addresses)
  const outcome = await send('receiver.example.com')
  expect(outcome).toMatchObject({ responseStatus: null, address: null })
  expect(outcome.error).toMatch(/^receiver\.example\.com is not an address of the public internet/)
  expect(canary.connections).toBe(0)
})

test('checks the addresses at each attempt, and connects only to checked ones', async () => {
  dns.records.set('receiver.example.com', ['127.0.0.1'])
  const allowCidrs = ['127.0.0.1/32']
  expect(await send('receiver.example.com', { allowCidrs })).toMatchObject({ responseStatus: 200 })
  const questions = dns.asked.length
  dns.records.set('receiver.example.com', ['127.0.0.2'])
  expect(await send('receiver.example.com', { allowCidrs })).toMatchObject({ responseStatus: null, address: null })
  expect(questions).toBe(2)
  expect(dns.asked).toHaveLength(4)
  expect(canary.connections).toBe(1)
})

test('closes a connection that reached a different address', async () => {
  dns.records.set('receiver.example.com', ['0.0.0.0'])
  // The operating system connects this address to loopback.
  const outcome = await send('receiver.example.com', { allowCidrs: ['0.0.0.0/32'] })
  expect(outcome).toMatchObject({ responseStatus: null, error: expect.stringContaining('reached a different address') })
})

test('tries one address after the other, and sends once', async () => {
  await using onlyIpv6 = await listening(
    createServer((_, response) => response.end()),
    { host: '::1' },
  )
  dns.records.set('receiver.example.com', ['127.0.0.1', '::1'])
  const url = `http://receiver.example.com:${onlyIpv6.port}/`
  const request = { url, body: '{}', headers: {} }
  const outcome = await attemptDelivery(request, { ...options, allowCidrs: loopback }, never)
  expect(outcome).toMatchObject({ responseStatus: 200, address: '::1', error: null })
  expect(onlyIpv6.connections).toBe(1)
})

test('an address that does not respond uses only its share of the time', async () => {
  await using deaf = await deafReceiver()
  await using healthy = await listening(
    createServer((_, response) => response.end()),
    { host: '::1', port: deaf.port },
  )
  dns.records.set('receiver.example.com', ['127.0.0.1', '::1'])
  const request = { url: `http://receiver.example.com:${healthy.port}/`, body: '{}', headers: {} }
  const given = { ...options, allowCidrs: loopback, connectTimeoutMs: 600 }
  const outcome = await attemptDelivery(request, given, never)
  expect(outcome).toMatchObject({ responseStatus: 200, address: '::1' })
  expect(outcome.durationMs).toBeGreaterThan(290)
})

test('tries no other address once one has accepted the connection', async () => {
  await using stalling = await listening(createTcpServer())
  dns.records.set('receiver.example.com', ['127.0.0.1', '::1'])
  const request = { url: `https://receiver.example.com:${stalling.port}/`, body: '{}', headers: {} }
  const given = { ...options, allowCidrs: loopback, connectTimeoutMs: 300 }
  expect(await attemptDelivery(request, given, never)).toMatchObject({
    error: 'No connection to receiver.example.com within 0.3 s.',
    address: '127.0.0.1',
  })
})

test('an unknown host name is an outcome', async () => {
  expect(await send('nobody.example.com')).toMatchObject({
    error: 'The host name nobody.example.com could not be resolved.',
    address: null,
  })
  dns.records.set('empty.example.com', [])
  expect(await send('empty.example.com')).toMatchObject({
    error: 'The host name empty.example.com could not be resolved.',
  })
})

test('names whose name servers never respond time out and delay no other attempt', async () => {
  const given = { allowCidrs: loopback, resolver: nameServers({ servers: [dns.address], timeoutMs: 5_000 }) }
  dns.records.set('receiver.example.com', ['127.0.0.1'])
  const hanging = Array.from({ length: 64 }, (_, index) => {
    dns.records.set(`${index}.hanging.example.com`, 'silence')
    return send(`${index}.hanging.example.com`, { ...given, connectTimeoutMs: 3_000 })
  })
  await expect.poll(() => dns.asked.length).toBeGreaterThanOrEqual(128)
  const healthy = await send('receiver.example.com', given)
  expect(healthy).toMatchObject({ responseStatus: 200 })
  expect(healthy.durationMs).toBeLessThan(2_500)
  for (const { error, durationMs } of await Promise.all(hanging)) {
    expect(error).toMatch(/^No connection to \d+\.hanging\.example\.com within 3 s\.$/)
    expect(durationMs).toBeLessThan(20_000)
  }
})
