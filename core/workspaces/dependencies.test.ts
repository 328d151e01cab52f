import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { InstallStep } from '../../engines/test-plan/plan.ts'
import { testConfig } from '../testing/config.ts'
import { installKey, keepInstall } from './dependencies.ts'

const config = { secretKey: 'a key of tests' }
const step = (change: Partial<InstallStep> = {}): InstallStep => ({
  argv: ['npm', 'ci'],
  command: 'npm ci',
  environment: {},
  because: 'it is a test',
  lockfiles: ['package-lock.json'],
  readsTree: false,
  folders: ['node_modules'],
  fillsDeps: false,
  ...change,
})
const source = (tree: string, lockfile: string | undefined = 'lock-1') => ({
  treeId: () => tree,
  contentId: (path: string) => (path === 'package-lock.json' ? lockfile : undefined),
})
const conditions = { directory: '', executor: 'bwrap', environment: {} }
const keyOf = (install: InstallStep, from = source('tree-1'), change = {}) =>
  installKey(config, install, from, { ...conditions, ...change })

test('keys an install that runs no code by its lockfiles', () => {
  expect(keyOf(step())).toBe(keyOf(step(), source('tree-2')))
  expect(keyOf(step())).not.toBe(keyOf(step(), source('tree-1', 'lock-2')))
})

test('keys an install that can run code of the commit by all files', () => {
  const install = step({ readsTree: true })
  expect(keyOf(install)).toBe(keyOf(install))
  expect(keyOf(install)).not.toBe(keyOf(install, source('tree-2')))
})

test('distinguishes everything that an install sees', () => {
  const keys = [
    keyOf(step()),
    keyOf(step({ readsTree: true })),
    keyOf(step({ argv: ['npm', 'install'] })),
    keyOf(step({ environment: { A: '1' } })),
    keyOf(step(), source('tree-1'), { directory: 'app' }),
    keyOf(step(), source('tree-1'), { executor: 'docker' }),
    keyOf(step(), source('tree-1'), { environment: { A: '1' } }),
    keyOf(step(), source('tree-1'), { environment: { A: '2' } }),
    installKey({ secretKey: 'another key' }, step(), source('tree-1'), conditions),
  ]
  expect(new Set(keys).size).toBe(keys.length)
})

test('keeps no install without lockfiles, or with a lockfile that the commit does not have', () => {
  expect(keyOf(step({ lockfiles: [] }))).toBeNull()
  expect(keyOf(step({ lockfiles: ['package-lock.json', 'Gemfile'] }))).toBeNull()
})

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
  const install = step({ argv: [], lockfiles: [] })
  const config = testConfig({ databaseUrl: '', dataDir })
  using kept = await keepInstall(config, 'project', { key: 'a', trust: 'project', install, written, deps })
  for (const path of [join(kept.layer, 'packages/web/node_modules/shell/sh'), join(kept.deps, 'sh')]) {
    expect((await stat(path)).mode & 0o7777).toBe(0o755)
  }
  expect((await stat(join(kept.layer, 'packages/web/node_modules/shell'))).mode & 0o7000).toBe(0)
  // The sandbox shows a layer by the owner of its folder.
  expect((await stat(kept.layer)).uid).toBe((await stat(written)).uid)
  await rm(dataDir, { recursive: true })
})
