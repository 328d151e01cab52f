import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { forgetUnused, holdInstall, markUsed } from './kept-installs.ts'

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

test('keeps the latest own installs and the latest installs of forks', async () => {
  const left = await leave({ ...aged('own', 9, 20), ...aged('fork', 5, 11) })
  expect(left).toEqual(['fork-0', 'fork-1', 'own-0', 'own-1', 'own-2', 'own-3', 'own-4', 'own-5'])
})

test('keeps own installs regardless of the number of installs of forks', async () => {
  expect(await leave({ 'own-a': 1_000, ...aged('fork', 20, 1) })).toContain('own-a')
})

test('keeps recently used installs and installs in use', async () => {
  const held = holdInstall(join(directory, 'own-a'))
  const alsoHeld = holdInstall(join(directory, 'own-a'))
  const old = { 'own-a': 100, 'own-b': 101 }
  expect(await leave({ ...aged('own', 8, 1), ...old })).toEqual([...Object.keys(aged('own', 8, 1)), 'own-a'])
  held[Symbol.dispose]()
  held[Symbol.dispose]()
  expect(await forget()).toContain('own-a')
  alsoHeld[Symbol.dispose]()
  expect(await forget()).not.toContain('own-a')
})

test('keeps an install that another process marks as used', async () => {
  await leave({ ...aged('own', 6, 1), 'own-a': 9 })
  const path = join(directory, 'own-a')
  await markUsed(path)
  expect(await forget()).toContain('own-a')
  await utimes(path, new Date(0), new Date(0))
  expect(await forget()).not.toContain('own-a')
})

test('removes old unfinished installs', async () => {
  expect(await leave({ 'own-1.f1': 11, 'own-2.f2': 9, 'own-3': 11 })).toEqual(['own-2.f2', 'own-3'])
})
