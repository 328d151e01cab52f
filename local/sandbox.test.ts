import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sandboxHint } from './sandbox.ts'

const runs = {
  executor: 'auto' as const,
  runConcurrency: 1,
  runsPerOwner: 1,
  memoryBytes: 1,
  diskBytes: 1,
  files: 1,
  quota: 'off' as const,
  processes: 1,
  outputBytes: 1,
  paths: [],
  image: '',
  uidRange: { first: 1, last: 2 },
}

test('without a sandbox, prints what to install', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-path-'))
  try {
    expect(sandboxHint({ runs }, `/nowhere:${folder}`)).toMatch(/sandbox: apt install bubblewrap|Docker/)
    await writeFile(join(folder, 'bwrap'), '#!/bin/sh\n')
    expect(sandboxHint({ runs }, folder)).toBeDefined()
    await chmod(join(folder, 'bwrap'), 0o755)
    expect(sandboxHint({ runs }, `/nowhere:${folder}`)).toBeUndefined()
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('with EXECUTOR set, prints no hint', () => {
  expect(sandboxHint({ runs: { ...runs, executor: 'local' } }, '')).toBeUndefined()
})
