import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testConfig } from '../testing/config.ts'
import { keepInstall } from './dependencies.ts'

const isRoot = process.getuid?.() === 0

test('keeps an install without programs that run as their owner, under its owner', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'assay-keep-'))
  const [written, deps] = [join(dataDir, 'written'), join(dataDir, 'deps')]
  const inner = join(written, 'packages/web/node_modules/shell')
  for (const folder of [inner, deps]) await mkdir(folder, { recursive: true })
  for (const path of [join(inner, 'sh'), join(deps, 'sh')]) {
    await writeFile(path, '')
    await chmod(path, 0o6755)
  }
  await chmod(inner, 0o2755)
  if (isRoot) await chown(written, 1_900_000_000, 1_900_000_000)
  const install = {
    argv: [],
    environment: {},
    folders: ['node_modules'],
    lockfiles: [],
    command: '',
    because: '',
    fillsDeps: false,
  }
  const config = testConfig({ databaseUrl: '', dataDir })
  using kept = await keepInstall(config, 'project', { key: 'a', trust: 'own', install, written, deps })
  for (const path of [join(kept.layer, 'packages/web/node_modules/shell/sh'), join(kept.deps, 'sh')]) {
    expect((await stat(path)).mode & 0o7777).toBe(0o755)
  }
  expect((await stat(join(kept.layer, 'packages/web/node_modules/shell'))).mode & 0o7000).toBe(0)
  // The sandbox shows a layer by the owner of its folder.
  expect((await stat(kept.layer)).uid).toBe((await stat(written)).uid)
  await rm(dataDir, { recursive: true })
})
