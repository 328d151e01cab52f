import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createTRPCClient, httpLink } from '@trpc/client'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createRepository } from '../client/testing/repository.ts'
import type { AppRouter } from '../core/router.ts'
import { createTestDatabase } from '../core/testing/database.ts'
import { freePort } from '../core/testing/free-port.ts'
import { findPostgresFiles, sharedPlace } from './postgres-files.ts'
import { isAlive, launch, type Launched, removeInstallation } from './testing.ts'

let DATA_DIR: string
beforeEach(async () => void (DATA_DIR = await createFolder()))
afterEach(() => removeInstallation(DATA_DIR))

/** The folder of an installation that several tests use, because each start takes seconds. */
let shared: string
let current: Launched | undefined
beforeAll(async () => void (shared = await createFolder()))
afterAll(async () => {
  await current?.[Symbol.asyncDispose]()
  await removeInstallation(shared)
})

/** Returns the installation that runs on the shared folder, and starts it when the test before has ended it. */
async function running() {
  if (!current || current.hasEnded()) current = launch({ DATA_DIR: shared })
  return { launched: current, ...(await current.ready()) }
}

/** The folder of the embedded database, which root keeps outside of the data folder. */
const databaseFolder = async (folder: string) => (await findPostgresFiles(join(folder, 'postgres'))).directory

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-start-'))
  await chmod(folder, 0o755)
  return folder
}

async function client(api: string, folder: string) {
  const token = (await readFile(join(folder, 'token'), 'utf8')).trim()
  return createTRPCClient<AppRouter>({
    links: [httpLink({ url: `${api}/trpc`, headers: { authorization: `Bearer ${token}` } })],
  })
}

const projects = async (api: string, folder: string) =>
  (await (await client(api, folder)).projects.getProjects.query()).map(({ name }) => name)

test('one command starts all parts, Ctrl-C stops them all, and a second start finds the data again', async () => {
  const { launched: first, api, mcp } = await running()
  expect(await (await fetch(`${api}/health`)).json()).toEqual({ ok: true })
  expect((await fetch(mcp, { method: 'POST' })).status).toBe(401)
  expect((await stat(join(shared, 'token'))).mode & 0o777).toBe(0o600)
  const token = await readFile(join(shared, 'token'), 'utf8')
  await (
    await client(api, shared)
  ).projects.createProject.mutate({ name: 'kept', repository: import.meta.dirname, branch: 'main' })

  const processes = first.processes()
  expect(processes.length).toBeGreaterThan(4)
  // One Ctrl-C also arrives through npm and the watcher.
  for (let times = 0; times < 3; times++) first.signal('SIGINT')
  expect(await first.end()).toEqual({ code: 0, stderr: '' })
  expect(processes.filter(isAlive)).toEqual([])

  expect(await projects((await running()).api, shared)).toContain('kept')
  expect(await readFile(join(shared, 'token'), 'utf8')).toBe(token)
})

test('the printed link signs the owner in once, and a command prints a new link while Assay runs', async () => {
  const { launched, api, signInLink } = await running()
  expect(signInLink).toMatch(new RegExp(`^${api}/sign-in/local\\?token=[\\w-]{43}$`))
  const owner = { user: { email: 'owner@localhost' } }
  expect(await signIn(signInLink)).toMatchObject(owner)
  expect(await signIn(signInLink)).toBe(400)

  const { code, stdout } = await command('sign-in-link.ts', { DATA_DIR: shared })
  const another = /^Open (\S+)\n\(valid once, for 10 minutes\)\n$/.exec(stdout)?.[1] ?? ''
  expect([code, another.replace(/=.*/, '')]).toEqual([0, signInLink.replace(/=.*/, '')])
  expect(await signIn(another)).toMatchObject(owner)

  launched.signal('SIGINT')
  await launched.end()
  const logs = await readdir(join(shared, 'logs'))
  expect(logs).toContain('core.log')
  for (const log of logs) {
    const lines = await readFile(join(shared, 'logs', log), 'utf8')
    for (const link of [signInLink, another]) expect(lines).not.toContain(link.split('=')[1])
  }
  expect(await command('sign-in-link.ts', { DATA_DIR: shared })).toEqual({
    code: 1,
    stdout: '',
    stderr: `assay: Assay is not running on ${shared}; start it with npm start, which prints a sign-in link\n`,
  })
})

test('AI_SERVICE_URL with the address of the own AI service starts it there', async () => {
  const aiPort = String(await freePort())
  const AI_SERVICE_URL = `http://localhost:${aiPort}`
  await using database = await createTestDatabase()
  await using own = launch({ DATA_DIR, DATABASE_URL: database.url, AI_SERVICE_URL, AI_PORT: aiPort })
  const status = await (await client((await own.ready()).api, DATA_DIR)).system.status.query()
  expect(status.ai).toMatchObject({ ok: true, provider: 'mock' })
  // The random secret of this start.
  for (const headers of [{}, { authorization: 'Bearer guessed' }]) {
    expect((await fetch(`${AI_SERVICE_URL}/provider`, { headers })).status).toBe(401)
  }
  own.signal('SIGINT')
  expect(await own.end()).toEqual({ code: 0, stderr: '' })
})

test('an AI service that AI_SERVICE_URL names and that does not answer is named at the start', async () => {
  const AI_SERVICE_URL = `http://localhost:${await freePort()}`
  await using database = await createTestDatabase()
  await using foreign = launch({ DATA_DIR, DATABASE_URL: database.url, AI_SERVICE_URL, AI_PORT: '0' })
  await foreign.ready()
  foreign.signal('SIGINT')
  expect((await foreign.end()).stderr).toBe(
    `assay: The AI service does not answer at ${AI_SERVICE_URL}. ` +
      'Start it there, or unset AI_SERVICE_URL: npm start then starts its own.\n',
  )
})

test('a sign-in link carries the address of BASE_URL', async () => {
  await using database = await createTestDatabase()
  const settings = { DATA_DIR, DATABASE_URL: database.url, BASE_URL: 'http://127.0.0.1:12345' }
  await using launched = launch(settings)
  const { signInLink } = await launched.ready()
  expect(signInLink).toMatch(/^http:\/\/127\.0\.0\.1:12345\/sign-in\/local/)
  expect((await command('sign-in-link.ts', settings)).stdout).toContain('Open http://127.0.0.1:12345/sign-in/local')
})

test('in production there are no sign-in links', async () => {
  expect(await command('sign-in-link.ts', { DATA_DIR, NODE_ENV: 'production' })).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^assay: sign-in links work only in local mode.*\n$/),
  })
})

test('Ctrl-C during the start stops all parts quietly', async () => {
  await using launched = launch({ DATA_DIR })
  await expect.poll(() => launched.processes().length, { interval: 20 }).toBeGreaterThan(2)
  const processes = launched.processes()
  launched.signal('SIGINT')
  expect(await launched.end()).toEqual({ code: 130, stderr: '' })
  await expect.poll(() => processes.filter(isAlive)).toEqual([])
})

test('a start after kill -9 of everything recovers', async () => {
  const { launched: first, api } = await running()
  await (
    await client(api, shared)
  ).projects.createProject.mutate({ name: 'recovered', repository: import.meta.dirname, branch: 'main' })
  for (const pid of first.processes()) killHard(pid)
  await first.end()

  expect(await projects((await running()).api, shared)).toContain('recovered')
})

test('a start after kill -9 of the launcher alone takes over the database', async () => {
  const { launched: first } = await running()
  const processes = first.processes()
  first.signal('SIGKILL')
  await first.end()

  const { launched: second } = await running()
  second.signal('SIGTERM')
  await second.end()
  await expect.poll(() => processes.filter(isAlive)).toEqual([])
})

test('a second start on the same data fails and does not disturb the first', async () => {
  const { api } = await running()
  await using second = launch({ DATA_DIR: shared })
  const { code, stderr } = await second.end()
  const told = `assay: Assay is already running on ${shared}. Stop it first, or set DATA_DIR to another folder.\n`
  expect([code, stderr]).toEqual([1, told])
  expect((await fetch(`${api}/health`)).status).toBe(200)
})

test('the banner names the folders and the settings for the command line', async () => {
  const { launched, api } = await running()
  const folder = await databaseFolder(shared)
  const isApart = !folder.startsWith(shared)
  expect(launched.printed()).toContain(`\n    Data  ${shared}\n`)
  expect(launched.printed().includes(`\n    Database ${folder}\n`)).toBe(isApart)
  expect(launched.printed()).toContain(`alias assay='SVC_BASE_URL=${api} DATA_DIR=${shared} `)
})

test('the demo uses the running Assay, whatever its port', async () => {
  const { api } = await running()
  await using repository = await createRepository({ 'sum.js': 'export const sum = (a, b) => (a > b ? a + b : b + a)' })
  const { code, stdout, stderr } = await command('demo.ts', { DATA_DIR: shared }, repository.path)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain(`Using the running Assay at http://127.0.0.1:${new URL(api).port}`)
  expect(stdout).toContain('Analyzed 1 files')
})

test('when core ends, all parts stop and the reason is printed', async () => {
  const { launched } = await running()
  const processes = launched.processes()
  const core = await Promise.all(
    processes.map(async (pid) => [pid, await readFile(`/proc/${pid}/cmdline`, 'utf8')] as const),
  )
  // From its bundle or from its source.
  const [pid] = core.find(([, command]) => /\bcore\/main\.[jt]s\b/.test(command)) ?? []
  if (pid === undefined) throw new Error('core is not among the processes')
  process.kill(pid, 'SIGKILL')
  expect(await launched.end()).toEqual({ code: 1, stderr: 'assay: core ended unexpectedly (SIGKILL)\n' })
  expect(processes.filter(isAlive)).toEqual([])
})

test('a cut connection and a killed process of Postgres do not stop Assay', async () => {
  const { launched, api } = await running()
  const folder = await databaseFolder(shared)
  const [, , , port] = (await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n')
  const password = (await readFile(join(folder, 'owner-password'), 'utf8')).trim()
  const database = new pg.Client({ connectionString: `postgres://assay:${password}@127.0.0.1:${port}/postgres` })
  database.on('error', () => {}) // Postgres also cuts this connection.
  await database.connect()
  const others = "FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
  const health = () => fetch(`${api}/health`).then(({ status }) => status)

  await database.query(`SELECT pg_terminate_backend(pid) ${others}`)
  await expect.poll(async () => projects(api, shared).catch(() => null)).not.toBeNull()

  const { rows } = await database.query<{ pid: number }>(`SELECT pid ${others} AND datname = 'assay'`)
  const [backend] = rows
  if (!backend) throw new Error('core has no connection')
  process.kill(backend.pid, 'SIGKILL')
  await expect.poll(async () => projects(api, shared).catch(() => null)).not.toBeNull()
  expect([launched.hasEnded(), await health()]).toEqual([false, 200])
  // Its own lock is back as well: a second start is refused.
  await using second = launch({ DATA_DIR: shared })
  expect((await second.end()).stderr).toContain('already running')
})

test('when the database ends, all parts stop and the reason is printed', async () => {
  const { launched } = await running()
  const processes = launched.processes()
  const [pid] = (await readFile(join(await databaseFolder(shared), 'postmaster.pid'), 'utf8')).split('\n')
  process.kill(Number(pid), 'SIGKILL')
  const { code, stderr } = await launched.end()
  expect([code, stderr]).toEqual([1, expect.stringContaining('Postgres ended unexpectedly')])
  await expect.poll(() => processes.filter(isAlive)).toEqual([])
})

test('of two simultaneous first starts on one folder, one succeeds and the other fails', async () => {
  await using one = launch({ DATA_DIR })
  await using other = launch({ DATA_DIR })
  const outcomes = await Promise.allSettled([one.ready(), other.ready()])
  const told = outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : 'serves'))
  expect(told.toSorted()).toEqual([expect.stringContaining('already running'), 'serves'])
  const loser = outcomes[0]?.status === 'rejected' ? one : other
  expect((await loser.end()).stderr).toMatch(/^assay: Assay is already running on .*\n$/)
})

test('does not touch a folder with other content', async () => {
  await mkdir(join(DATA_DIR, 'postgres'))
  await writeFile(join(DATA_DIR, 'postgres', 'letter'), 'dear')
  await using launched = launch({ DATA_DIR })
  expect((await launched.end()).stderr).toMatch(/^assay: .*contains files that are not a database of Assay.*\n$/)
  expect(await readFile(join(DATA_DIR, 'postgres', 'letter'), 'utf8')).toBe('dear')
})

test('reports each port in use with one line, all at once', async () => {
  await using busy = await listenSomewhere()
  const folder = join(DATA_DIR, 'new')
  await using launched = launch({ DATA_DIR: folder, PORT: String(busy.port), MCP_PORT: String(busy.port) })
  expect(await launched.end()).toEqual({
    code: 1,
    stderr: ['PORT', 'MCP_PORT']
      .map(
        (name) => `assay: port ${busy.port} is in use; stop the program that uses it, or set ${name} to another port\n`,
      )
      .join(''),
  })
  // It was a first start, so it leaves no database behind, only the key of the data folder.
  expect(await readdir(folder)).toEqual(['secret-key'])
  expect(existsSync(sharedPlace(join(folder, 'postgres')))).toBe(false)
})

test('reports the invalid settings of all programs at once', async () => {
  await using launched = launch({
    DATA_DIR,
    PORT: 'x',
    AI_PORT: 'y',
    MCP_PORT: 'z',
    AI_PROVIDER: 'skynet',
    ROLE: 'boss',
  })
  const { code, stderr } = await launched.end()
  expect(code).toBe(1)
  for (const name of ['PORT', 'AI_PORT', 'MCP_PORT', 'AI_PROVIDER', 'ROLE'])
    expect(stderr).toMatch(new RegExp(`^assay: ${name} `, 'm'))
  expect(stderr.trim().split('\n')).toHaveLength(5)
})

test('reports an unreachable database with one line, without its password', async () => {
  await using busy = await listenSomewhere()
  const report = async (url: string, reason: string) => {
    const folder = await mkdtemp(join(DATA_DIR, 'unreachable-'))
    await using launched = launch({ DATA_DIR: folder, DATABASE_URL: url })
    const { code, stderr } = await launched.end()
    expect(code).toBe(1)
    expect(stderr.trim().split('\n')).toEqual([expect.stringMatching(`^assay: .*DATABASE_URL.*${reason}`)])
    expect(stderr).not.toContain('hunter2')
  }
  await Promise.all([
    report('postgres://me:hunter2@127.0.0.1:1/assay', 'ECONNREFUSED'),
    report(`postgres://me:hunter2@127.0.0.1:${busy.port}/assay`, 'timeout'),
    report('postgres://me:hunter2@no-such-host.invalid/assay', 'no-such-host'),
  ])
})

/** Opens the link like a browser. Returns the session, or the status of a refusal. */
async function signIn(link: string): Promise<unknown> {
  const response = await fetch(link, { redirect: 'manual' })
  await response.text()
  const cookie = response.headers.getSetCookie()[0]?.split(';', 1)[0]
  if (cookie === undefined) return response.status
  const session = await fetch(new URL('/api/auth/get-session', link), { headers: { cookie } })
  return session.json()
}

async function command(script: string, environment: NodeJS.ProcessEnv, ...args: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, stdout, stderr }
}

/** A process may end because another one was killed. */
function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (isAlive(pid)) throw error
  }
}

/** Accepts connections and never responds. */
async function listenSomewhere() {
  const sockets = new Set<{ destroy(): void }>()
  const server = createServer((socket) => void sockets.add(socket.on('error', () => {})))
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  const address = server.address()
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}
