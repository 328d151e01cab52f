import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPrograms } from '../packaging/build-programs.ts'
import { buildsFolder, currentBuild, findProgram, recordName, usersName } from './built.mjs'

const program = resolve(import.meta.dirname, '../core/main.ts')
let folder: string
// Beside the builds that other tests run from, so that packages are found.
beforeAll(async () => void (folder = await mkdtemp(`${buildsFolder}-test-`)))
afterAll(() => rm(folder, { recursive: true }))

test('a bundle is used until a source changes; programs from an earlier build keep their files', async () => {
  expect(findProgram(program, folder).file).toBe(program)
  expect(await buildPrograms(folder)).toBe(true)
  const first = findProgram(program, folder)
  expect(first.file).toBe(join(currentBuild(folder) ?? '', 'core/main.js'))
  expect(await buildPrograms(folder)).toBe(false)

  const record = join(folder, recordName)
  const { build, sources } = JSON.parse(await readFile(record, 'utf8'))
  expect(Object.keys(sources)).toEqual(expect.arrayContaining(['core/main.ts', 'package-lock.json']))
  await writeFile(record, JSON.stringify({ build, sources: { ...sources, 'core/main.ts': [1, 1] } }))
  expect(findProgram(program, folder).file).toBe(program)

  expect(await buildPrograms(folder)).toBe(true)
  const second = findProgram(program, folder)
  expect(second.file).not.toBe(first.file)
  expect(await readdir(dirname(first.file))).toContain('main.js')
})

test('a build that a process runs from is kept however many later ones there are', async () => {
  const used = ['1-used', '2-left', '3-unused'].map((name) => join(folder, name))
  for (const build of used) await mkdir(join(build, usersName), { recursive: true })
  await writeFile(join(used[0] ?? '', usersName, String(process.pid)), '')
  // No process has this id.
  await writeFile(join(used[1] ?? '', usersName, '4194305'), '')
  await rm(join(folder, recordName), { force: true })
  for (let later = 0; later < 3; later += 1) await mkdir(join(folder, `9-later-${later}`))
  await buildPrograms(folder)
  expect((await readdir(folder)).filter((name) => /^[123]-/.test(name))).toEqual(['1-used'])
})

test('a program that is not built runs from its source', async () => {
  await buildPrograms(folder)
  const other = resolve(import.meta.dirname, 'audit-verify.ts')
  expect(findProgram(other, folder).file).toBe(other)
})

test('a bundle does not load undici through the modules of Node', async () => {
  await buildPrograms(folder)
  const build = dirname(dirname(findProgram(program, folder).file))
  const files = (await readdir(build, { recursive: true })).filter((name) => name.endsWith('.js'))
  const bundles = await Promise.all(files.map((name) => readFile(join(build, name), 'utf8')))
  expect(bundles.filter((code) => /\bimport\b[^;'"]*\bfrom ?"(?:node:)?https?"/.test(code))).toEqual([])
})
