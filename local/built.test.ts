import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { buildPrograms } from '../packaging/build-programs.ts'
import { builtFolder, builtProgram, recordName } from './built.mjs'

const program = resolve(import.meta.dirname, '../core/main.ts')

test('a bundle is used until a source changes, and then built again', async () => {
  await buildPrograms()
  expect(builtProgram(program)).toBe(join(builtFolder, 'core/main.js'))
  expect(await buildPrograms()).toBe(false)
  const record = join(builtFolder, recordName)
  const sources = JSON.parse(await readFile(record, 'utf8'))
  expect(Object.keys(sources)).toEqual(expect.arrayContaining(['core/main.ts', 'package-lock.json']))
  await writeFile(record, JSON.stringify({ ...sources, 'core/main.ts': [1, 1] }))
  expect(builtProgram(program)).toBe(program)
  expect(await buildPrograms()).toBe(true)
  expect(builtProgram(program)).toBe(join(builtFolder, 'core/main.js'))
})
