import { chmod, readdir, readFile, truncate } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readBlobs } from './blobs.ts'
import { ObjectReader } from './object-reader.ts'
import type { AnalysisWarning } from './schema.ts'
import { createGitRepository } from './testing/git-repository.ts'
import type { TreeEntry } from './types.ts'

const signal = AbortSignal.timeout(60_000)

test('starts one git for what is read one after the other, and a second one for what is read meanwhile', async () => {
  await using repository = await createGitRepository({ a: '1', b: '2', c: '3' })
  const entries = await Promise.all(['a', 'b', 'c'].map((path) => entryOf(path)))
  async function entryOf(path: string): Promise<TreeEntry> {
    return { path, blobId: await repository.git('rev-parse', `HEAD:${path}`), mode: '100644', size: 1 }
  }
  const before = await gitsOf(process.pid)
  const started = async () => (await gitsOf(process.pid)).filter((pid) => !before.includes(pid))
  {
    await using objects = new ObjectReader(`${repository.path}/.git`)
    const read = (wanted: readonly TreeEntry[]) =>
      readBlobs({ objects, maxBlobBytes: 10, admit: () => true, warnings: [] }, wanted, signal)
    const textOf = async (wanted: readonly TreeEntry[]) => {
      let text = ''
      for await (const { content } of read(wanted)) text += String(content)
      return text
    }
    expect(await textOf(entries)).toBe('123')
    const first = await started()
    expect(first).toHaveLength(1)
    expect(await textOf(entries.slice(1))).toBe('23')
    expect(await started()).toEqual(first)

    const slow = read(entries)
    expect(String((await slow.next()).value?.content)).toBe('1')
    expect(await textOf(entries)).toBe('123')
    expect(await started()).toHaveLength(2)
    // What was not read to its end cannot be read on by others.
    await slow.return(undefined)
    expect(await textOf(entries)).toBe('123')
    expect(await started()).toHaveLength(1)
  }
  await expect.poll(started).toEqual([])
})

test('reads on where the git that was kept has died, and once more where the first object is damaged', async () => {
  await using repository = await createGitRepository({ a: randomBytes(5_000), b: '2' })
  const [a = '', b = ''] = (await repository.git('ls-tree', '--format=%(objectname)', 'HEAD')).split('\n')
  const entryOf = (blobId: string): TreeEntry => ({ path: blobId, blobId, mode: '100644', size: 1 })
  const before = await gitsOf(process.pid)
  await using objects = new ObjectReader(`${repository.path}/.git`)
  const warnings: AnalysisWarning[] = []
  const textOf = async (...ids: string[]) => {
    let text = ''
    const source = { objects, maxBlobBytes: 10_000, admit: () => true, warnings }
    for await (const { content } of readBlobs(source, ids.map(entryOf), signal))
      text += content === null ? '?' : content.length > 1 ? '1' : String(content)
    return text
  }
  expect(await textOf(a, b)).toBe('12')
  const [kept] = (await gitsOf(process.pid)).filter((pid) => !before.includes(pid))
  process.kill(Number(kept), 'SIGKILL')
  expect(await textOf(b, a)).toBe('21')
  expect(warnings).toEqual([])
  const file = `${repository.path}/.git/objects/${a.slice(0, 2)}/${a.slice(2)}`
  await chmod(file, 0o600)
  // Git ends where an object is cut off.
  await truncate(file, 2_000)
  expect(await textOf(a, b)).toBe('?2')
  expect(warnings).toMatchObject([{ code: 'missing_content', path: a }])
})

/** The processes of git that a process started and that have not ended. */
async function gitsOf(parent: number): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const states = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
  return pids.filter((_, index) => {
    const [, name, state, parentId] = /\((.*)\) (\w) (\d+)/.exec(states[index] ?? '') ?? []
    return name === 'git' && state !== 'Z' && parentId === String(parent)
  })
}
