import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { removeIfEmpty, uniqueName } from './files.ts'
import { lockDirectory } from './lock.ts'
import { seemDead } from './testing/lock-users.ts'

let parent: string
let directory: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'lock-'))
  directory = join(parent, 'source')
  onTestFinished(() => rm(parent, { recursive: true }))
})

const soon = () => AbortSignal.timeout(60_000)
const expectHeld = () =>
  expect(lockDirectory(directory, AbortSignal.timeout(200))).rejects.toMatchObject({ name: expect.any(String) })

test('waits its turn also where each owner removes the directory that it leaves empty', async () => {
  let inside = 0
  let done = 0
  const work = async () => {
    for (let turn = 0; turn < 60; turn++) {
      await using stack = new AsyncDisposableStack()
      stack.defer(() => removeIfEmpty(directory))
      stack.use(await lockDirectory(directory, soon()))
      expect(++inside).toBe(1)
      await new Promise(setImmediate)
      inside--
      done++
    }
  }
  await Promise.all(Array.from({ length: 4 }, work))
  expect(done).toBe(240)
})

test.each(['0 0 x', '999999999 1 x', `${process.pid} 1 x`, 'rubbish', '-1 1 x', '', 'é/../'.repeat(500)])(
  'takes over the lock %j of a process that is gone, and leaves nothing of it',
  async (owner) => {
    await (await lockDirectory(directory, soon()))[Symbol.asyncDispose]()
    await writeFile(join(directory, 'lock'), owner)
    {
      await using _lock = await lockDirectory(directory, soon())
      await expectHeld()
    }
    expect(await readdir(directory)).toEqual([])
  },
)

test.each(['', 'rubbish'])(
  'gets past successors that all say %j, and removes what another one left',
  async (content) => {
    await (await lockDirectory(directory, soon()))[Symbol.asyncDispose]()
    const left = ['lock', `lock-after-1-${content}`, `lock-after-2-${content}`, 'lock-after-1-other']
    for (const name of left) await writeFile(join(directory, name), content)
    await (await lockDirectory(directory, soon()))[Symbol.asyncDispose]()
    await (await lockDirectory(directory, soon()))[Symbol.asyncDispose]()
    expect(await readdir(directory)).toEqual([])
  },
)

test('takes over from one who took over and died as well', async () => {
  await lockDirectory(directory, soon())
  seemDead(directory)
  await lockDirectory(directory, soon())
  seemDead(directory)
  {
    await using _lock = await lockDirectory(directory, soon())
    await expectHeld()
    expect(await readdir(directory)).toHaveLength(3)
  }
  expect(await readdir(directory)).toEqual([])
})

test('has one owner at a time, however many processes wait and die', async () => {
  const program = `
    const { useLock } = await import(${JSON.stringify(new URL('testing/lock-users.ts', import.meta.url).href)})
    await Promise.all(Array.from({ length: 3 }, () => useLock(${JSON.stringify(directory)}, 16)))`
  const children = Array.from({ length: 8 }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'inherit' }),
  )
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]))
  expect(codes).toEqual(codes.map(() => 0))
  await (await lockDirectory(directory, soon()))[Symbol.asyncDispose]()
  expect(await readdir(directory)).toEqual([])
})

test('leaves the lock of another owner alone where the directory was removed meanwhile', async () => {
  const lock = await lockDirectory(directory, soon())
  await rm(directory, { recursive: true })
  {
    await using _other = await lockDirectory(directory, soon())
    await lock[Symbol.asyncDispose]()
    await expectHeld()
  }
  await rm(directory, { recursive: true })
  await lock[Symbol.asyncDispose]()
  expect(existsSync(directory)).toBe(false)
})

test('names of locks and of what is thrown away are never made twice', () => {
  expect(new Set(Array.from({ length: 100_000 }, uniqueName)).size).toBe(100_000)
})
