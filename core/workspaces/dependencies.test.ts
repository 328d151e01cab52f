import { expect, test } from 'vitest'
import type { InstallStep } from '../../engines/test-plan/plan.ts'
import { installKey } from './dependencies.ts'

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
