import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import packageInfo from '../package.json' with { type: 'json' }
import { createTestApp, type TestApp } from '../core/testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { freePort } from '../core/testing/free-port.ts'
import { assay, ended, pageIn, spawnAssay } from './testing/assay.ts'

let core: TestApp
let env: Record<string, string>

beforeAll(async () => {
  core = await createTestApp()
  const user = await createUser(core, { name: 'Ada', email: 'ada@example.com' })
  const token = await createTokenFor(core, { user })
  env = { SVC_BASE_URL: core.url, SVC_API_TOKEN: token }
  await createProjectFor(core, { user, name: 'shop', repository: 'https://example.com/ada/shop.git' })
  await createProjectFor(core, { user, name: 'läden 商店', repository: 'https://example.com/ada/stores.git' })
})

afterAll(() => core[Symbol.asyncDispose]())

test('prints help and version to stdout, and reports a missing command as wrong usage', async () => {
  const [help, version, nothing, ofCommand] = await Promise.all([
    assay(['--help']),
    assay(['--version']),
    assay([]),
    assay(['help', 'verify']),
  ])
  expect(help).toMatchObject({ exitCode: 0, stderr: '' })
  for (const name of ['login', 'projects', 'suggest', 'verify', 'doctor']) expect(help.stdout).toContain(`\n  ${name}`)
  expect(version).toEqual({ exitCode: 0, stdout: `${packageInfo.version}\n`, stderr: '' })
  expect(nothing).toMatchObject({ exitCode: 2, stdout: '' })
  expect(nothing.stderr).toContain('Usage: assay')
  expect(ofCommand).toMatchObject({ exitCode: 0 })
  expect(ofCommand.stdout).toContain('--target <path:symbol>')
  expect(ofCommand.stdout).toContain('--json')
})

test('suggests the right name for a misspelt command, subcommand or option', async () => {
  const [command, nothing, subcommand, option] = await Promise.all([
    assay(['sugest']),
    assay(['bogus', '--json']),
    assay(['projects', 'lst']),
    assay(['projects', '--limti', '3']),
  ])
  expect(command).toMatchObject({ exitCode: 2, stdout: '' })
  expect(command.stderr).toContain('Did you mean suggest?')
  expect(nothing.stderr).toContain("unknown command 'bogus'")
  expect(nothing.stdout + nothing.stderr).not.toContain('Did you mean')
  expect(subcommand).toMatchObject({ exitCode: 2 })
  expect(subcommand.stderr).toContain('Did you mean list?')
  expect(option).toMatchObject({ exitCode: 2 })
  expect(option.stderr).toContain('Did you mean --limit?')
})

test('lists an option once in the help, even where a group and its command share it', async () => {
  const { stdout } = await assay(['webhooks', 'create', '--help'])
  expect(stdout.match(/--project <project>/g)).toHaveLength(1)
  expect(stdout.match(/--json/g)).toHaveLength(1)
})

test('whoami shows the account, as text and as one JSON document', async () => {
  const [plain, json] = await Promise.all([assay(['whoami'], { env }), assay(['--json', 'whoami'], { env })])
  expect(plain).toMatchObject({ exitCode: 0, stderr: '' })
  expect(plain.stdout).toContain('Ada <ada@example.com>')
  expect(json).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(json.stdout)).toMatchObject({
    server: core.url,
    tokenFrom: 'SVC_API_TOKEN',
    user: { email: 'ada@example.com' },
  })
  expect(plain.stdout + json.stdout).not.toContain(env['SVC_API_TOKEN'])
})

test('prints rows with tabs to a pipe, without headings, colors or hints', async () => {
  const piped = await assay(['projects'], { env })
  expect(piped).toMatchObject({ exitCode: 0, stderr: '' })
  const rows = piped.stdout.trimEnd().split('\n')
  expect(rows.map((row) => row.split('\t')[1])).toEqual(['läden 商店', 'shop'])
})

test('obeys FORCE_COLOR and NO_COLOR', async () => {
  const whoami = (wish: Record<string, string>) => assay(['whoami'], { env: { ...env, ...wish } })
  const [forced, piped, refused] = await Promise.all([
    whoami({ FORCE_COLOR: '1' }),
    whoami({}),
    whoami({ NO_COLOR: '1' }),
  ])
  expect(forced.stdout).toContain('\u001b[1mAda\u001b[22m')
  expect(piped.stdout).not.toContain('\u001b')
  expect(refused.stdout).toBe(piped.stdout)
})

test('pages through a list with --limit and --offset', async () => {
  const page = await assay(['projects', 'list', '--limit', '1', '--offset', '1', '--json'], { env })
  expect(JSON.parse(page.stdout)).toMatchObject({
    projects: [{ name: 'shop' }],
    pagination: { total: 2, limit: 1, offset: 1 },
  })
  const wrong = await assay(['projects', '--limit', '0'], { env })
  expect(wrong).toMatchObject({ exitCode: 2 })
  expect(wrong.stderr).toContain('from 1 to 100')
})

test('explains how to log in without a token, and with an invalid one', async () => {
  const bad = `svc_${'x'.repeat(40)}`
  const [none, wrong, json] = await Promise.all([
    assay(['projects'], { env: { SVC_BASE_URL: core.url } }),
    assay(['projects'], { env: { ...env, SVC_API_TOKEN: bad } }),
    assay(['projects', '--json'], { env: { ...env, SVC_API_TOKEN: bad } }),
  ])
  expect(none).toMatchObject({ exitCode: 3, stdout: '' })
  expect(none.stderr).toContain('assay login')
  expect(wrong).toMatchObject({ exitCode: 3, stdout: '' })
  expect(wrong.stderr).toContain('It comes from SVC_API_TOKEN')
  expect(wrong.stderr).not.toContain('tokens create')
  expect(wrong.stderr).not.toContain(bad)
  expect(json.exitCode).toBe(3)
  expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'UNAUTHORIZED', exitCode: 3 } })
})

test('names an invalid setting without printing its value', async () => {
  const typed = await assay(['projects'], { env: { ...env, SVC_API_TOKEN: 'hunter2' } })
  expect(typed).toMatchObject({ exitCode: 2, stdout: '' })
  expect(typed.stderr).toContain('SVC_API_TOKEN')
  expect(typed.stderr).not.toContain('hunter2')
})

test('distinguishes a server that is down from one that is not Assay', async () => {
  const down = await assay(['projects'], { env: { ...env, SVC_BASE_URL: `http://127.0.0.1:${await freePort()}` } })
  expect(down).toMatchObject({ exitCode: 5, stdout: '' })
  expect(down.stderr).toMatch(/does not answer .* comes from SVC_BASE_URL/)

  const other = createServer((_req, res) => res.end('<h1>It works!</h1>')).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const elsewhere = await assay(['projects'], { env: { ...env, SVC_BASE_URL: `http://127.0.0.1:${port}` } })
  other.close()
  expect(elsewhere).toMatchObject({ exitCode: 5, stdout: '' })
  expect(elsewhere.stderr).toContain('is not Assay')
})

test("answers the same for another tenant's project as for one that does not exist", async () => {
  const foreign = await createProjectFor(core, { name: 'theirs', repository: 'https://example.com/them/theirs.git' })
  const absent = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
  const texts = await Promise.all(
    [foreign.id, absent, 'theirs', 'nobodys'].map(async (wanted) => {
      const { exitCode, stdout, stderr } = await assay(['projects', 'show', wanted], { env })
      return [exitCode, stdout, stderr.replaceAll(wanted, 'X')]
    }),
  )
  expect(new Set(texts.map((text) => JSON.stringify(text))).size).toBe(1)
  expect(texts[0]).toMatchObject([4, '', expect.stringContaining('assay projects')])
})

test('adds a project, finds it by each of its names, and deletes it only with --yes', async () => {
  const added = await assay(['projects', 'add', 'https://example.com/ada/cart.git', '--branch', 'main', '--json'], {
    env,
  })
  const { id, url } = JSON.parse(added.stdout) as { id: string; url: string }
  expect(url).toBe(`${core.url}/projects/${id}`)
  expect(pageIn((await assay(['projects', 'show', id], { env })).stdout)).toBe(url)
  for (const wanted of [id, 'cart', 'CART', 'git@example.com:ada/cart.git', 'ada/cart']) {
    const shown = await assay(['projects', 'show', wanted, '--json'], { env })
    expect(JSON.parse(shown.stdout), wanted).toMatchObject({ id, name: 'cart' })
  }
  const again = await assay(['projects', 'add', 'git@example.com:ada/cart.git'], { env })
  expect(again).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(id) })
  const unsaid = await assay(['projects', 'remove', 'cart'], { env })
  expect(unsaid).toMatchObject({ exitCode: 2, stdout: '' })
  expect(unsaid.stderr).toContain('--yes')
  const removed = await assay(['projects', 'remove', 'cart', '--yes'], { env })
  expect(removed).toEqual({ exitCode: 0, stdout: `Removed cart (${id}).\n`, stderr: '' })
})

test('removes terminal escape sequences from names of repositories and people', async () => {
  const user = await createUser(core, { name: 'Eve\u001b]0;gone\u0007\u202e' })
  const token = await createTokenFor(core, { user })
  await createProjectFor(core, { user, name: 'a\u001b[2Jb\nc\td\u009b31m', repository: 'https://example.com/e/v.git' })
  const eve = { ...env, SVC_API_TOKEN: token, FORCE_COLOR: '1' }
  const texts = await Promise.all(
    [['projects'], ['projects', '--json'], ['whoami'], ['whoami', '--json']].map(async (words) => {
      const { stdout } = await assay(words, { env: eve })
      // Our own colors: bold and dim.
      // oxlint-disable-next-line no-control-regex -- matches escape sequences
      return stdout.replaceAll(/\u001b\[\d\d?m/g, '')
    }),
  )
  // oxlint-disable-next-line no-control-regex -- matches control characters
  for (const text of texts) expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
  expect(texts[0]).toBe(texts[0]?.split('\n')[0] + '\n')
  expect(JSON.parse(texts[1] ?? '')).toMatchObject({ projects: [{ name: 'a\u001b[2Jb\nc\td\u009b31m' }] })
})

test('the process reads stdin, separates its streams, and exits with the code of the answer', async () => {
  const [good, refused] = await Promise.all([
    ended(spawnAssay(['whoami', '--json'], { env })),
    ended(spawnAssay(['login', '--url', core.url, '--with-token'], { input: 'hunter2\n' })),
  ])
  expect(good).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(good.stdout)).toMatchObject({ user: { email: 'ada@example.com' } })
  expect(refused).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('not an Assay token') })
})

test('uses only the given environment and streams', async () => {
  const written = vi.spyOn(process.stdout, 'write')
  vi.stubEnv('SVC_BASE_URL', core.url)
  vi.stubEnv('SVC_API_TOKEN', env['SVC_API_TOKEN'])
  vi.stubEnv('FORCE_COLOR', '1')
  try {
    const loggedOut = await assay(['whoami'], { env: { SVC_BASE_URL: core.url } })
    expect(loggedOut).toMatchObject({ exitCode: 3, stdout: '' })
    const loggedIn = await assay(['whoami'], { env })
    expect(loggedIn.stdout).not.toContain('\u001b')
    expect(written).not.toHaveBeenCalled()
  } finally {
    vi.unstubAllEnvs()
    written.mockRestore()
  }
})

test('ends quietly when the reader closes the pipe', async () => {
  const child = spawnAssay(['projects'], { env })
  child.stdout?.destroy()
  const said: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => said.push(chunk.toString()))
  await once(child, 'close')
  expect([child.exitCode, said.join('')]).toEqual([0, ''])
})

test('Ctrl-C ends a command that waits for the server', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const child = spawnAssay(['projects'], { env: { ...env, SVC_BASE_URL: `http://127.0.0.1:${port}` } })
  await once(silent, 'request')
  child.kill('SIGINT')
  const typed = await ended(child)
  silent.closeAllConnections()
  silent.close()
  expect(typed).toEqual({ exitCode: 130, stdout: '', stderr: 'Stopped.\n' })
})
