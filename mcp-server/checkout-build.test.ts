import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildMcpServer } from '../packaging/checkout-build.ts'
import { buildFolder, isCurrent, recordName } from './checkout-build.mjs'

test('the bundle is used until a source changes, and then built again', async () => {
  await buildMcpServer()
  expect(isCurrent()).toBe(true)
  expect(await buildMcpServer()).toBe(false)
  const record = join(buildFolder, recordName)
  const sources = JSON.parse(await readFile(record, 'utf8'))
  expect(Object.keys(sources)).toEqual(expect.arrayContaining(['mcp-server/main.ts', 'package-lock.json']))
  await writeFile(record, JSON.stringify({ ...sources, 'mcp-server/main.ts': [1, 1] }))
  expect(isCurrent()).toBe(false)
  expect(await buildMcpServer()).toBe(true)
  expect(isCurrent()).toBe(true)
})
