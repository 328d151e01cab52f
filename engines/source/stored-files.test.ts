import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  findStoredEntry,
  findStoredObjects,
  listStoredFolder,
  readStoredBlob,
  storedContentIds,
} from './stored-files.ts'
import { createGitRepository, type GitRepository } from './testing/git-repository.ts'

let directory: string
let repository: GitRepository
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-stored-'))
  repository = await createGitRepository({ 'src/a.txt': 'one\n', 'strange\tname.txt': 'two\n', '-h': 'three\n' })
})
afterAll(async () => {
  await repository[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const { signal } = new AbortController()
const head = () => repository.git('rev-parse', 'HEAD')
const findIn = async (url: string, commitSha: string) =>
  findStoredObjects({ directory, clones: [directory], repository: { url, allowLocal: true }, commitSha, signal })

test('reads files of a repository on this machine by their path', async () => {
  const commitSha = await head()
  const stored = await findIn(repository.path, commitSha)
  const read = async (path: string) => {
    const entry = await findStoredEntry(stored, commitSha, path, signal)
    const blob = entry && (await readStoredBlob(stored, entry.blobId, 100, signal))
    return blob?.content?.toString()
  }
  expect(await read('src/a.txt')).toBe('one\n')
  expect(await read('-h')).toBe('three\n')
  // As lists show the name.
  expect(await read(String.raw`strange\x09name.txt`)).toBe('two\n')
  expect(await findStoredEntry(stored, commitSha, 'src', signal)).toMatchObject({ isFolder: true })
  expect(await findStoredEntry(stored, commitSha, 'src/*', signal)).toBeNull()
  const listed = await listStoredFolder(stored, commitSha, 'src', { signal })
  expect(listed?.map(({ path }) => path)).toEqual(['src/a.txt'])
})

test('does not return the content of a file that is too large', async () => {
  const commitSha = await head()
  const stored = await findIn(repository.path, commitSha)
  const { blobId = '' } = (await findStoredEntry(stored, commitSha, 'src/a.txt', signal)) ?? {}
  expect(await readStoredBlob(stored, blobId, 3, signal)).toEqual({ bytes: 4, content: null })
})

test('says that a commit or a file is not stored, and compares contents of commits', async () => {
  const first = await head()
  const second = await repository.commit({ 'src/a.txt': 'changed\n' })
  const stored = await findIn(repository.path, second)
  const missing = 'f'.repeat(40)
  expect(await findStoredEntry(stored, missing, 'src/a.txt', signal)).toBeUndefined()
  expect(await readStoredBlob(stored, missing, 100, signal)).toBeUndefined()
  const [before, after, none] = await storedContentIds(stored, [first, second, missing], 'src/a.txt', signal)
  expect([before, after, none]).toEqual([
    await repository.git('rev-parse', `${first}:src/a.txt`),
    await repository.git('rev-parse', `${second}:src/a.txt`),
    undefined,
  ])
  expect(await storedContentIds(stored, [first], 'src', signal)).toEqual([undefined])
})

test('has no objects of a clone of another repository', async () => {
  const { objects } = await findIn('https://example.com/a/b', await head())
  expect(objects).toEqual([])
})

test('reads a repository with ids of 64 digits', async () => {
  await using wide = await createGitRepository({ 'a.txt': 'one\n' }, { objectFormat: 'sha256' })
  const commitSha = await wide.git('rev-parse', 'HEAD')
  const stored = await findIn(wide.path, commitSha)
  expect(await findStoredEntry(stored, commitSha, 'a.txt', signal)).toMatchObject({ path: 'a.txt', mode: '100644' })
})
