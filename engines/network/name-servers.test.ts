import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createDnsServer, type DnsServer } from './testing.ts'
import { resolveAllowed } from './addresses.ts'
import { nameServers, type NameServerOptions } from './name-servers.ts'

const never = new AbortController().signal
const loopback = ['127.0.0.0/8', '::1/128']
let dns: DnsServer
let folder: string
let hostsFile: string

beforeAll(async () => {
  dns = await createDnsServer()
  folder = await mkdtemp(join(tmpdir(), 'assay-hosts-'))
  hostsFile = join(folder, 'hosts')
})

beforeEach(() => {
  dns.records.clear()
  dns.asked.length = 0
})

afterAll(async () => {
  await dns[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const resolver = (options: NameServerOptions = {}) =>
  nameServers({ servers: [dns.address], timeoutMs: 100, hostsFile: join(folder, 'none'), ...options })

test('finds the addresses of both families', async () => {
  dns.records.set('receiver.example.com', ['8.8.8.8', '2606:4700::1111', '1.1.1.1'])
  expect(await resolver()('receiver.example.com', [])).toEqual(['8.8.8.8', '1.1.1.1', '2606:4700::1111'])
  dns.records.set('four.example.com', ['8.8.8.8'])
  expect(await resolver()('four.example.com', [])).toEqual(['8.8.8.8'])
  dns.records.set('six.example.com', ['2606:4700::1111'])
  expect(await resolver()('six.example.com', [])).toEqual(['2606:4700::1111'])
})

test('a name server that never answers for one address family does not delay the answer', async () => {
  dns.records.set('receiver.example.com', ['8.8.8.8'])
  dns.silentFor.add('receiver.example.com AAAA')
  const begin = performance.now()
  expect(await resolver({ timeoutMs: 25_000 })('receiver.example.com', [])).toEqual(['8.8.8.8'])
  expect(performance.now() - begin).toBeLessThan(15_000)
})

test('gives up on a name server that is silent', async () => {
  dns.records.set('hanging.example.com', 'silence')
  const begin = performance.now()
  await expect(resolveAllowed('hanging.example.com', [], never, resolver())).rejects.toMatchObject({
    code: 'host_not_found',
  })
  expect(performance.now() - begin).toBeLessThan(15_000)
})

/** Answers names with "broken" in them at once, with what nobody can read, and others with 8.8.8.8 that much later. */
async function startSlowServer(delayMs: number) {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const answer = Buffer.from(query.subarray(0, query.indexOf(0, 12) + 5))
    answer.writeUInt16BE(0x8180, 2)
    answer.writeUInt16BE(1, 6)
    answer.fill(0, 8, 12)
    const entry = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 8, 8, 8, 8])
    if (query.includes('broken')) socket.send(answer, port, address)
    else setTimeout(() => socket.send(Buffer.concat([answer, entry]), port, address), delayMs)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(resolve)),
  }
}

test("answers for one name that cannot be read do not fail another's", async () => {
  await using server = await startSlowServer(100)
  const resolve = resolver({ servers: [server.address], timeoutMs: 2_000 })
  const names = ['one.example.com', ...Array.from({ length: 8 }, (_, index) => `${index}.broken.example.com`)]
  const [healthy, ...broken] = await Promise.allSettled(names.map((name) => resolve(name, [])))
  expect(healthy).toEqual({ status: 'fulfilled', value: ['8.8.8.8'] })
  expect(broken.map(({ status }) => status)).toEqual(broken.map(() => 'rejected'))
})

test.concurrent.each([1_500, 2_500])(
  'waits for a name server that takes %d ms, however often it is asked',
  async (delayMs) => {
    await using server = await startSlowServer(delayMs)
    const resolve = nameServers({ servers: [server.address] })
    const names = ['one.example.com', 'two.example.com', 'three.example.com']
    expect(await Promise.all(names.map((name) => resolve(name, [])))).toEqual(names.map(() => ['8.8.8.8']))
    expect(await resolve('four.example.com', [])).toEqual(['8.8.8.8'])
  },
)

test('stops waiting when the caller gives up', async () => {
  dns.records.set('hanging.example.com', 'silence')
  const asking = resolveAllowed('hanging.example.com', [], AbortSignal.timeout(50), resolver({ timeoutMs: 25_000 }))
  await expect(asking).rejects.toThrow('timeout')
})

test('reads the hosts file where private networks are allowed', async () => {
  await writeFile(hostsFile, '# 9.9.9.9 ci\n\n127.0.0.9\tCI.internal  ci # ours\n::1 ci.internal\n')
  const resolve = resolver({ hostsFile })
  expect(await resolve('ci.internal', loopback)).toEqual(['127.0.0.9', '::1'])
  expect(await resolveAllowed('CI', loopback, never, resolve)).toEqual(['127.0.0.9'])
  expect(await resolve('localhost', loopback)).toEqual(['127.0.0.1', '::1'])
  expect(dns.asked).toEqual([])
  await expect(resolve('ci.internal', [])).rejects.toThrow()
  await expect(resolve('nobody', loopback)).rejects.toThrow()
  await expect(resolveAllowed('ci', ['127.0.0.1'], never, resolve)).rejects.toMatchObject({ code: 'address_refused' })
})

test('reads the hosts file again after it changed', async () => {
  await writeFile(hostsFile, '127.0.0.1 ci\n')
  const resolve = resolver({ hostsFile, renewAfterMs: 20 })
  expect(await resolve('ci', loopback)).toEqual(['127.0.0.1'])
  await writeFile(hostsFile, '127.0.0.2 ci\n')
  await sleep(30)
  expect(await resolve('ci', loopback)).toEqual(['127.0.0.2'])
})
