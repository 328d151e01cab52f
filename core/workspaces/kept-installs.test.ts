import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testConfig } from '../testing/config.ts'
import { cacheDirectory } from './cache-directory.ts'
import { forgetUnused, holdInstall, installsDirectory, markUsed, sweepInstalls } from './kept-installs.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-installs-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

/** Makes installs that were used so many minutes ago, and returns what is left of all. */
async function leave(installs: Record<string, number>): Promise<string[]> {
  for (const [name, minutes] of Object.entries(installs)) {
    const path = join(directory, name)
    await mkdir(join(path, 'layer/node_modules'), { recursive: true })
    const usedAt = new Date(Date.now() - minutes * 60_000)
    await utimes(path, usedAt, usedAt)
  }
  return forget()
}

async function forget(): Promise<string[]> {
  await forgetUnused(directory)
  return (await readdir(directory)).toSorted()
}

const aged = (trust: string, count: number, first: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${trust}-${index}`, first + index]))

test('keeps the latest own installs and the latest installs of strangers', async () => {
  const left = await leave({ ...aged('project', 9, 20), ...aged('stranger-0', 5, 11) })
  expect(left).toEqual([
    'project-0',
    'project-1',
    'project-2',
    'project-3',
    'project-4',
    'project-5',
    'stranger-0-0',
    'stranger-0-1',
  ])
})

test('keeps own installs regardless of the number of installs of strangers', async () => {
  expect(await leave({ 'project-a': 1_000, ...aged('stranger-0', 20, 1) })).toContain('project-a')
})

test('keeps recently used installs and installs in use', async () => {
  const held = holdInstall(join(directory, 'project-a'))
  const alsoHeld = holdInstall(join(directory, 'project-a'))
  const old = { 'project-a': 100, 'project-b': 101 }
  expect(await leave({ ...aged('project', 8, 1), ...old })).toEqual([
    ...Object.keys(aged('project', 8, 1)),
    'project-a',
  ])
  held[Symbol.dispose]()
  held[Symbol.dispose]()
  expect(await forget()).toContain('project-a')
  alsoHeld[Symbol.dispose]()
  expect(await forget()).not.toContain('project-a')
})

test('keeps an install that another process marks as used', async () => {
  await leave({ ...aged('project', 6, 1), 'project-a': 9 })
  const path = join(directory, 'project-a')
  await markUsed(path)
  expect(await forget()).toContain('project-a')
  await utimes(path, new Date(0), new Date(0))
  expect(await forget()).not.toContain('project-a')
})

test('removes installs that an older edition of Assay made', async () => {
  expect(await leave({ 'own-a': 11, 'fork-a': 11, 'project-a': 11 })).toEqual(['project-a'])
})

test('removes at the start what a killed process has not finished, in all projects', async () => {
  const config = testConfig({ databaseUrl: '', dataDir: directory })
  const paths = { old: 'project-1.f1', new: 'project-2.f2' }
  const age = async (name: string, minutes: number) => {
    const path = join(installsDirectory(config, `of-${name}`), name)
    await mkdir(path, { recursive: true })
    const usedAt = new Date(Date.now() - minutes * 60_000)
    await utimes(path, usedAt, usedAt)
  }
  await age(paths.old, 11)
  await age(paths.new, 1)
  await mkdir(cacheDirectory(config, 'without-installs'), { recursive: true })
  await sweepInstalls({ config, log: pino({ level: 'silent' }) })
  expect(await readdir(installsDirectory(config, `of-${paths.old}`))).toEqual([])
  expect(await readdir(installsDirectory(config, `of-${paths.new}`))).toEqual([paths.new])
})

test('removes old unfinished installs', async () => {
  expect(await leave({ 'project-1.f1': 11, 'project-2.f2': 9, 'project-3': 11 })).toEqual(['project-2.f2', 'project-3'])
})
