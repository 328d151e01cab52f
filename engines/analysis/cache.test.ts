import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cacheKey, fileCache } from './cache.ts'
import type { FileRecord } from './types.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-cache-'))
})
afterAll(() => rm(folder, { recursive: true }))

const records = new Map<string, FileRecord>([
  ['1 a.ts', { language: 'TypeScript', size: 3, facts: { symbols: [], imports: [], exports: [], references: ['é'] } }],
  ['2 b.bin', { language: 'Binary', size: 9 }],
])

test('knows content by its id and its file name, wherever the file lies', () => {
  expect(cacheKey('abc', 'src/deep/a.ts')).toBe(cacheKey('abc', 'a.ts'))
  expect(cacheKey('abc', 'a.ts')).not.toBe(cacheKey('abc', 'a.h'))
})

test('returns only the records that were saved last', async () => {
  const cache = fileCache(join(folder, 'new/project/facts'))
  expect(await cache.load()).toEqual(new Map())
  await cache.save(records)
  expect(await cache.load()).toEqual(records)
  const next = new Map([['3 c.ts', { language: 'TypeScript', size: 1 }]])
  await cache.save(next)
  expect(await cache.load()).toEqual(next)
  expect(await readdir(join(folder, 'new/project'))).toEqual(['facts'])
})

test('appends what an analysis changed, and writes a new file when much has changed', async () => {
  const path = join(folder, 'appended')
  const many = new Map<string, FileRecord>(
    Array.from({ length: 50 }, (_, at) => [`${at} a.ts`, { language: 'TypeScript', size: at }]),
  )
  await fileCache(path).save(many)
  const first = await readFile(path)
  const changed = new Map(many)
  changed.delete('3 a.ts')
  changed.set('4 a.ts', { language: 'TypeScript', size: 4, unparsed: 'timeout' })
  changed.set('new b.ts', { language: 'TypeScript', size: 1 })
  const cache = fileCache(path)
  await cache.load()
  await cache.save(changed)
  const second = await readFile(path)
  expect(second.subarray(0, first.length)).toEqual(first)

  // Another place is unknown to this process, so the file itself is read.
  const copy = join(folder, 'copy')
  await writeFile(copy, second)
  const fromCopy = fileCache(copy)
  expect(await fromCopy.load()).toEqual(changed)
  await fromCopy.save(new Map([...changed].slice(0, 30)))
  expect((await readFile(copy)).length).toBeLessThan(first.length)
  expect((await fileCache(copy).load()).size).toBe(30)
})

test('counts as empty when the file is damaged, cut, empty or of another version, and is replaced then', async () => {
  const path = join(folder, 'damaged')
  const cache = fileCache(path)
  await cache.save(records)
  const whole = await readFile(path)
  const flipped = Buffer.from(whole)
  flipped[flipped.length >> 1] = (flipped[flipped.length >> 1] ?? 0) ^ 0xff
  const otherVersion = await promisify(zstdCompress)(JSON.stringify({ version: 0, records: [...records] }))
  for (const content of [flipped, whole.subarray(0, -5), Buffer.alloc(0), Buffer.from('not packed'), otherVersion]) {
    await writeFile(path, content)
    expect(await cache.load()).toEqual(new Map())
  }
  await cache.save(records)
  expect(await cache.load()).toEqual(records)
})

test('says so when it cannot write, and leaves nothing behind', async () => {
  await writeFile(join(folder, 'occupied'), '')
  await expect(fileCache(join(folder, 'occupied/facts')).save(records)).rejects.toThrow(/EEXIST|ENOTDIR/)
})
