import { expect, test } from 'vitest'
import { readBlobs } from './blobs.ts'
import { KeptContents } from './kept-contents.ts'
import { ObjectReader } from './object-reader.ts'
import type { AnalysisWarning } from './schema.ts'
import { createGitRepository } from './testing/git-repository.ts'

const MiB = 2 ** 20

test('gives up what was not asked for the longest, and never holds more than 32 MiB', () => {
  const kept = new KeptContents()
  const half = Buffer.alloc(MiB / 2 - 4_096)
  for (let id = 0; id < 64; id++) kept.add(`${id}`, half)
  expect(kept.get('0')).toBe(half)
  kept.add('64', half)
  expect(kept.get('1')).toBeUndefined()
  expect(kept.get('0')).toBe(half)
  kept.add('large', Buffer.alloc(MiB / 2 + 1))
  expect(kept.get('large')).toBeUndefined()
  // The same content again takes no more room.
  kept.add('64', half)
  expect(kept.get('2')).toBe(half)
})

test('a content is read once, and the limits hold for what was kept as well', async () => {
  await using repository = await createGitRepository({ a: 'one', b: 'two' })
  const signal = AbortSignal.timeout(60_000)
  const ids = (await repository.git('ls-tree', '--format=%(objectname)', 'HEAD')).split('\n')
  const entries = ids.map((blobId, index) => ({ path: 'ab'[index] ?? '', blobId, mode: '100644', size: 3 }))
  const missing = { path: 'c', blobId: '1'.repeat(40), mode: '100644', size: 3 }
  await using objects = new ObjectReader(`${repository.path}/.git`)
  const kept = new KeptContents()
  const read = async (wanted: typeof entries, admit = () => true) => {
    const warnings: AnalysisWarning[] = []
    const contents: (Buffer | null)[] = []
    for await (const { content } of readBlobs({ objects, maxBlobBytes: 10, admit, warnings }, wanted, signal, kept)) {
      contents.push(content)
    }
    return { contents, warnings }
  }
  const first = await read([...entries, missing])
  expect(first.contents.map((content) => content?.toString())).toEqual(['one', 'two', undefined])
  const [, second] = entries
  const again = await read([missing, ...(second ? [second] : []), missing])
  expect(again.contents).toEqual([null, first.contents[1], null])
  expect(again.contents[1]).toBe(first.contents[1])
  expect(again.warnings).toMatchObject([
    { code: 'missing_content', path: 'c' },
    { code: 'missing_content', path: 'c' },
  ])
  expect((await read(entries, () => false)).contents).toEqual([null, null])
})
