import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removeIfEmpty, uniqueName } from './files.ts'
import { lockDirectory } from './lock.ts'

test('waits its turn also where each owner removes the directory that it leaves empty', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'lock-'))
  onTestFinished(() => rm(parent, { recursive: true }))
  const directory = join(parent, 'source')
  let inside = 0
  let done = 0
  const work = async () => {
    for (let turn = 0; turn < 60; turn++) {
      await using stack = new AsyncDisposableStack()
      stack.defer(() => removeIfEmpty(directory))
      stack.use(await lockDirectory(directory, AbortSignal.timeout(60_000)))
      expect(++inside).toBe(1)
      await new Promise(setImmediate)
      inside--
      done++
    }
  }
  await Promise.all(Array.from({ length: 4 }, work))
  expect(done).toBe(240)
})

test('names of locks and of what is thrown away are never made twice', () => {
  expect(new Set(Array.from({ length: 100_000 }, uniqueName)).size).toBe(100_000)
})
