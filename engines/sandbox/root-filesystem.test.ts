import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdsCredentials } from './root-filesystem.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-settings-'))
})
afterAll(() => rm(folder, { recursive: true }))

const mirror = '<mirror><url>https://repo.example.com/</url></mirror>'
const server = '<server>\n<password>secret</password>\n</server>'

test.for([
  [mirror, false],
  // What Maven is installed with.
  [`<settings>\n<!-- such as\n${server}\n-->\n${mirror}\n<!-- ${server} --></settings>`, false],
  [`<settings><!-- ours -->${server}<!-- --></settings>`, true],
  ['[global]\nindex-url = https://pypi.example.com/simple\n', false],
  ['[global]\nindex-url = https://user:secret@pypi.example.com/simple\n', true],
  ['//registry.example.com/:_authToken=secret\n', true],
  ['registry=https://registry.example.com/\n', false],
] as const)('tells settings from credentials: %j', async ([content, expected]) => {
  const path = join(folder, 'settings')
  await writeFile(path, content)
  expect(holdsCredentials(path)).toBe(expected)
})

test('takes what it cannot read for credentials', () => {
  expect(holdsCredentials(join(folder, 'nothing-here'))).toBe(true)
})
