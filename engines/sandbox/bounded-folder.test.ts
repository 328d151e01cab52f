import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isBoundedFolder, makeBoundedFolder, unmountBoundedFolder, whyUnbounded } from './bounded-folder.ts'
import { createBwrapExecutor } from './bwrap.ts'
import { createBench, mebibyte } from './testing.ts'

const unbounded = await whyUnbounded(tmpdir())
const options = { hostEnvironment: process.env, extraPaths: [], hiddenPaths: [], allowCidrs: [] }

describe.runIf(unbounded === null)('a bounded folder', () => {
  let parent: string
  let folder: string
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'assay-bounded-'))
    folder = join(parent, 'run')
    await makeBoundedFolder(folder, 48 * mebibyte, 1_000)
  })
  afterEach(async () => {
    await unmountBoundedFolder(folder)
    expect(await isBoundedFolder(folder)).toBe(false)
    await rm(parent, { recursive: true })
  })

  test('is empty and private, and leaves no file beside it', async () => {
    expect(await readdir(parent)).toEqual(['run'])
    expect(await readdir(folder)).toEqual([])
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    expect([await isBoundedFolder(folder), await isBoundedFolder(parent)]).toEqual([true, false])
  })

  test.each([
    [
      'space',
      'disk',
      'fallocate -l 40M /workspace/a; fallocate -l 40M /tmp/b; sleep 10',
      'The command filled the disk of',
    ],
    ['files', 'files', `perl -e 'for (1..9_999) { open F, ">$_" or exit }'; sleep 10`, 'The command created all'],
  ])('ends a command that takes all its %s, however much the limits allow', async (_name, reason, script, message) => {
    await using bench = await createBench(createBwrapExecutor(options), folder)
    const run = await bench.run(script, { limits: { diskBytes: 1e12, files: 1e9 } })
    expect(run, run.stderr).toMatchObject({ reason })
    expect(run.message).toContain(message)
    expect(existsSync(folder)).toBe(true)
  })
})

test('says why folders cannot be bounded', async () => {
  expect(await whyUnbounded('/dev/null')).not.toBeNull()
})
