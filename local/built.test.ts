import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
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
  const bundles = await Promise.all((await bundlesOf('')).map((file) => readFile(file, 'utf8')))
  expect(bundles.filter((code) => /\bimport\b[^;'"]*\bfrom ?"(?:node:)?https?"/.test(code))).toEqual([])
})

test('the MCP server loads neither crypto, TLS nor undici to ask a server without TLS', async () => {
  const core = createServer((_request, response) => response.writeHead(401).end('{}')).listen(0, '127.0.0.1')
  await once(core, 'listening')
  onTestFinished(() => void core.close())
  const listing = join(folder, 'list-modules.cjs')
  await writeFile(listing, "process.on('exit', () => process.stderr.write(process.moduleLoadList.join('\\n')))")
  const [main = ''] = await bundlesOf('mcp-server/main.js')
  const child = spawn(process.execPath, ['--require', listing, main], {
    env: {
      PATH: process.env['PATH'],
      SVC_BASE_URL: `http://127.0.0.1:${(core.address() as AddressInfo).port}`,
      SVC_API_TOKEN: `svc_v1_${'a'.repeat(32)}_abcd`,
      LOG_LEVEL: 'silent',
    },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const modules = text(child.stderr)
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  for (const [method, values] of Object.entries({
    initialize: params,
    'tools/list': {},
    'tools/call': { name: 'list_projects', arguments: {} },
  })) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: method, method, params: values })}\n`)
    expect(JSON.parse(String((await answers.next()).value))).toMatchObject({ id: method, result: {} })
  }
  child.stdin.end()
  const loaded = (await modules).split('\n').map((line) => line.replace('NativeModule ', ''))
  expect(loaded).toContain('http')
  expect(loaded.filter((name) => /^(?:crypto|tls|https|internal\/deps\/undici\/undici)$/.test(name))).toEqual([])
})

test('a process that analyzes does not load the library of the schemas', async () => {
  const [main = ''] = await bundlesOf('engines/analysis/process.js')
  const loaded = new Set([main])
  for (const file of loaded) {
    const code = await readFile(file, 'utf8')
    expect(code).not.toContain('ZodError')
    for (const [, name = ''] of code.matchAll(/\b(?:import\(?|from)"(\.[^"]+)"/g)) loaded.add(join(dirname(file), name))
  }
  expect(loaded.size).toBeGreaterThan(1)
})

/** Returns the bundles whose paths in the build end so. */
async function bundlesOf(end: string): Promise<string[]> {
  await buildPrograms(folder)
  const build = dirname(dirname(findProgram(program, folder).file))
  const names = await readdir(build, { recursive: true })
  return names.filter((name) => name.endsWith('.js') && name.endsWith(end)).map((name) => join(build, name))
}
