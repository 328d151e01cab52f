import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type S3TestServer, startS3 } from '../testing/s3-server.ts'
import { newStorageKey } from './key.ts'
import type { FileStorage } from './storage.ts'
import { openStorage } from './open-storage.ts'

let root: string
let s3: S3TestServer
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-files-'))
  stack.defer(() => rm(root, { recursive: true, force: true }))
  s3 = stack.use(await startS3())
})
afterAll(() => stack.disposeAsync())

const never = new AbortController().signal
const backEnds = ['folder', 's3'] as const

const openBackEnd = (kind: (typeof backEnds)[number]) =>
  openStorage(kind === 'folder' ? { kind, path: join(root, 'store') } : s3.config)

async function read(storage: FileStorage, key: string, range?: { start: number; end: number }) {
  await using opened = await storage.open(key, range, never)
  return opened && { size: opened.size, text: (await collect(opened.chunks)).toString() }
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const copies: Buffer[] = []
  for await (const chunk of chunks) copies.push(Buffer.from(chunk))
  return Buffer.concat(copies)
}

describe.each(backEnds)('a %s', (kind) => {
  test('returns an object, completely and in part, until it is deleted', async () => {
    await using storage = await openBackEnd(kind)
    const key = newStorageKey()
    expect(await read(storage, key)).toBeUndefined()
    await storage.put(key, Readable.from([Buffer.from('Hello, '), Buffer.from('world')]), never)
    expect(await read(storage, key)).toEqual({ size: 12, text: 'Hello, world' })
    expect(await read(storage, key, { start: 7, end: 8 })).toEqual({ size: 12, text: 'wo' })
    expect(await read(storage, key, { start: 11, end: 11 })).toEqual({ size: 12, text: 'd' })
    await storage.delete(key)
    await storage.delete(key)
    expect(await read(storage, key)).toBeUndefined()
  })

  test('stores an empty object, and one of more than two parts', async () => {
    await using storage = await openBackEnd(kind)
    const [empty, large] = [newStorageKey(), newStorageKey()]
    await storage.put(empty, Readable.from([], { objectMode: false }), never)
    expect(await read(storage, empty)).toEqual({ size: 0, text: '' })
    const content = randomBytes(20_000_060)
    await storage.put(large, Readable.from([content.subarray(0, 7), content.subarray(7)]), never)
    for (const range of [undefined, { start: 131_071, end: 20_000_058 }, { start: 19_999_999, end: 20_000_059 }]) {
      await using opened = await storage.open(large, range, never)
      expect(opened?.size).toBe(20_000_060)
      const expected = range ? content.subarray(range.start, range.end + 1) : content
      expect(opened && (await collect(opened.chunks)).equals(expected)).toBe(true)
    }
    await storage.delete(large)
  })

  test('stores nothing of an object if its stream fails, and destroys the stream', async () => {
    await using storage = await openBackEnd(kind)
    const key = newStorageKey()
    const breaking = Readable.from(
      (function* () {
        yield Buffer.alloc(9_000_000)
        throw new Error('the line is dead')
      })(),
    )
    await expect(storage.put(key, breaking, never)).rejects.toThrow('the line is dead')
    expect(breaking.destroyed).toBe(true)
    expect(await read(storage, key)).toBeUndefined()
  })

  test('stores nothing of an object if the upload is aborted', async () => {
    await using storage = await openBackEnd(kind)
    const key = newStorageKey()
    const leaving = new AbortController()
    const endless = new Readable({ read: () => void endless.push(Buffer.alloc(65_536)) })
    const put = storage.put(key, endless, leaving.signal)
    setTimeout(() => leaving.abort(), 50)
    await expect(put).rejects.toThrow()
    expect(endless.destroyed).toBe(true)
    expect(await read(storage, key)).toBeUndefined()
  })

  test.each(['', '..', '../../etc/passwd', '/etc/passwd', `${'a'.repeat(31)}/`, 'A'.repeat(32), `${'a'.repeat(32)}\n`])(
    'rejects the key %j',
    async (key) => {
      await using storage = await openBackEnd(kind)
      await expect(storage.put(key, Readable.from(['x']), never)).rejects.toThrow('storage key is malformed')
      await expect(storage.open(key, undefined, never)).rejects.toThrow('storage key is malformed')
      await expect(storage.delete(key)).rejects.toThrow('storage key is malformed')
    },
  )
})

test('stores objects below the prefix in a bucket, and under random, private names in a folder', async () => {
  await using bucket = await openBackEnd('s3')
  await using folder = await openBackEnd('folder')
  const key = newStorageKey()
  for (const storage of [bucket, folder]) await storage.put(key, Readable.from([Buffer.from('x')]), never)
  expect(s3.requests.filter((request) => request.includes(key))).toEqual([
    expect.stringMatching(`^PUT /assay/some/where/${key}`),
  ])
  const place = join(root, 'store', key.slice(0, 2), key)
  expect(await readFile(place, 'utf8')).toBe('x')
  expect((await stat(place)).mode & 0o777).toBe(0o600)
  expect((await stat(join(root, 'store', 'incoming'))).mode & 0o777).toBe(0o700)
  expect(await readdir(join(root, 'store', 'incoming'))).toEqual([])
})

test('a folder deletes incomplete objects of a killed process, and follows no symbolic link', async () => {
  await using storage = await openBackEnd('folder')
  const key = newStorageKey()
  const draft = join(root, 'store', 'incoming', key)
  await writeFile(draft, 'half')
  expect(await read(storage, key)).toBeUndefined()
  await storage.delete(key)
  await expect(stat(draft)).rejects.toThrow('ENOENT')

  await storage.put(key, Readable.from([Buffer.from('x')]), never)
  const place = join(root, 'store', key.slice(0, 2), key)
  await rm(place)
  await symlink('/etc/passwd', place)
  await expect(read(storage, key)).rejects.toThrow('ELOOP')
})

test('the error for an unusable folder names the folder and the setting', async () => {
  await writeFile(join(root, 'a-file'), '')
  await expect(openStorage({ kind: 'folder', path: join(root, 'a-file') })).rejects.toThrow(/^STORAGE_URL.*a-file/)
})

test('an unreachable or refusing object store is an error, never a missing object', async () => {
  await using gone = await openStorage({ ...s3.config, endpoint: 'http://127.0.0.1:1' })
  await expect(read(gone, newStorageKey())).rejects.toThrow('ECONNREFUSED')
  await expect(gone.put(newStorageKey(), Readable.from([Buffer.from('x')]), never)).rejects.toThrow('ECONNREFUSED')
  await using unknown = await openStorage({ ...s3.config, bucket: 'no-such-bucket' })
  await expect(read(unknown, newStorageKey())).rejects.toThrow('bucket')
  const credentials = { accessKeyId: 'NOBODY', secretAccessKey: 'x' }
  await using stranger = await openStorage({ ...s3.config, credentials })
  await expect(stranger.put(newStorageKey(), Readable.from([Buffer.from('x')]), never)).rejects.toThrow('Access Key')
})

test('reading fails if the object store closes the connection in the middle', async () => {
  const server = createServer((_, res) => {
    res.writeHead(200, { 'content-length': '1000' }).write('only this')
    setTimeout(() => res.destroy(), 50)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await using storage = await openStorage({ ...s3.config, endpoint: `http://127.0.0.1:${port}` })
  await expect(read(storage, newStorageKey())).rejects.toThrow('aborted')
  server.close()
})
