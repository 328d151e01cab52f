import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { InstallStep } from '../../engines/test-plan/plan.ts'
import { testConfig } from '../testing/config.ts'
import { findInstall, installKey, keepInstall } from './dependencies.ts'
import { removeTree } from './directories.ts'
import { installsDirectory } from './kept-installs.ts'
import { isThere } from '../../engines/source/files.ts'

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
const conditions = { directory: '', executor: 'bwrap', environment: {}, earlier: [] }
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
    keyOf(step(), source('tree-1'), { earlier: ['key-1'] }),
    keyOf(step(), source('tree-1'), { earlier: ['key-2'] }),
    keyOf(step(), source('tree-1'), { earlier: ['key-1', 'key-2'] }),
    keyOf(step(), source('tree-1'), { earlier: [null] }),
    installKey({ secretKey: 'another key' }, step(), source('tree-1'), conditions),
  ]
  expect(new Set(keys).size).toBe(keys.length)
})

test('keys an install after one that is never kept by all files, because it sees what that one wrote', () => {
  const after = (earlier: (string | null)[], tree: string) => keyOf(step(), source(tree), { earlier })
  expect(after(['key-1'], 'tree-1')).toBe(after(['key-1'], 'tree-2'))
  expect(after(['key-1', null], 'tree-1')).toBe(after(['key-1', null], 'tree-1'))
  expect(after(['key-1', null], 'tree-1')).not.toBe(after(['key-1', null], 'tree-2'))
})

test('keeps no install without lockfiles', () => {
  expect(keyOf(step({ lockfiles: [] }))).toBeNull()
})

test('keys an install with a lockfile that the commit does not have, or that is a link, by all files', () => {
  const install = step({ lockfiles: ['package-lock.json', 'Gemfile'] })
  expect(keyOf(install)).toBe(keyOf(install))
  expect(keyOf(install)).not.toBe(keyOf(install, source('tree-2')))
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
  const collected = join(dataDir, 'collected')
  const wanted = { key: 'a', trust: 'project', install, written, deps, collected } as const
  const { dependencies, problem } = await keepInstall(config, 'project', wanted)
  expect(problem).toBeUndefined()
  using kept = dependencies
  for (const path of [join(kept.layer, 'packages/web/node_modules/shell/sh'), join(kept.deps, 'sh')]) {
    expect((await stat(path)).mode & 0o7777).toBe(0o755)
  }
  expect((await stat(join(kept.layer, 'packages/web/node_modules/shell'))).mode & 0o7000).toBe(0)
  // The sandbox shows a layer by the owner of its folder.
  expect((await stat(kept.layer)).uid).toBe((await stat(written)).uid)
  await rm(dataDir, { recursive: true })
})

/** Deeper than a path can be. */
const makeDeepFolder = (directory: string) =>
  promisify(execFile)('perl', ['-e', 'chdir shift; for (1 .. 600) { mkdir "d" x 16; chdir "d" x 16 }', directory])

test('uses an install that cannot be kept for this run, and leaves nothing of it elsewhere', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'assay-keep-'))
  await using cleanUp = new AsyncDisposableStack()
  cleanUp.defer(() => removeTree(dataDir))
  const [written, deps, collected] = ['written', 'deps', 'collected'].map((name) => join(dataDir, name)) as [
    string,
    string,
    string,
  ]
  await mkdir(join(written, 'node_modules/a'), { recursive: true })
  await mkdir(deps)
  await writeFile(join(deps, 'file'), '')
  await makeDeepFolder(written)
  const config = testConfig({ databaseUrl: '', dataDir })
  const install = step()
  const wanted = { key: 'a', trust: 'project', install, written, deps, collected } as const
  const { dependencies, problem } = await keepInstall(config, 'project', wanted)
  expect(problem).toMatchObject({ code: 'ENAMETOOLONG' })
  const modules = await Promise.all([written, dependencies.layer].map((root) => isThere(join(root, 'node_modules/a'))))
  expect(modules).toContain(true)
  expect(await isThere(join(dependencies.deps, 'file'))).toBe(true)
  expect(await findInstall(config, 'project', 'a', 'project')).toBeUndefined()
  expect(await readdir(installsDirectory(config, 'project')).catch(() => [])).toEqual([])
})
