import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createGitRepository } from '../testing/git-repository.ts'
import { defaultSnapshotLimits } from '../snapshot.ts'
import { packWorkingTree } from './pack-working-tree.ts'

let temporary: string
beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'assay-temporary-'))
  vi.stubEnv('TMPDIR', temporary)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(temporary, { recursive: true })
})

const options = { limits: defaultSnapshotLimits, maxCommits: 1 }

/** Packs in another process, which is then killed. Returns the folder that it left. */
async function packAndKill(path: string): Promise<string> {
  const before = await readdir(temporary)
  const program = `
    import { packWorkingTree } from ${JSON.stringify(new URL('pack-working-tree.ts', import.meta.url).href)}
    const options = { ...${JSON.stringify(options)}, signal: new AbortController().signal }
    await packWorkingTree(${JSON.stringify(path)}, options)
    console.log('packed')
    setInterval(() => {}, 1_000)`
  const packing = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(packing, 'exit')
  await once(packing.stdout, 'data')
  packing.kill('SIGKILL')
  await ended
  const [left, ...others] = (await readdir(temporary)).filter((name) => !before.includes(name))
  if (left === undefined || others.length > 0) throw new Error('it left not one folder')
  return left
}

test('deletes what a killed process left, and nothing of running processes and of other users', async () => {
  await using repository = await createGitRepository({ a: '1' })
  const first = await packAndKill(repository.path)
  await using running = await packWorkingTree(repository.path, { ...options, signal: new AbortController().signal })
  expect(await readdir(temporary)).not.toContain(first)
  const second = await packAndKill(repository.path)
  // A folder that others could write to may not be deleted file by file.
  const open = second.replace(/\.\w+$/, '.open')
  await mkdir(join(temporary, open))
  await chmod(join(temporary, open), 0o777)
  await mkdir(join(temporary, 'assay-pack-abcdef'))
  {
    await using _other = await packWorkingTree(repository.path, { ...options, signal: new AbortController().signal })
  }
  const left = (await readdir(temporary)).filter((name) => name.startsWith('assay-pack-'))
  expect(left).toHaveLength(3)
  expect(left).toEqual(expect.arrayContaining([open, 'assay-pack-abcdef']))
  expect((await running.pack({ baseSha: null, signal: new AbortController().signal })).objects).toBe(2)
})
