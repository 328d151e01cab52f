import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFolder } from '../client/testing/repository.ts'
import { createTestApp, type TestApp } from '../core/testing/app.ts'
import { createPasswordFor, createProjectFor, createTokenFor } from '../core/testing/factories.ts'
import { freePort } from '../core/testing/free-port.ts'
import { cachedCheck } from '../core/system/cached-check.ts'
import { pendingExecutorCheck } from '../core/system/checks.ts'
import { assay } from './testing/assay.ts'

const password = 'a password for tests'
let core: TestApp
let user: Awaited<ReturnType<typeof createPasswordFor>>
let email: string
let token: string

beforeAll(async () => {
  core = await createTestApp({ role: 'web' })
  user = await createPasswordFor(core, password)
  email = user.email
  token = await createTokenFor(core, { user })
  // A web process leaves the verification waiting.
  const { id: projectId } = await createProjectFor(core, { user })
  await core.client(token).tests.verify.mutate({ projectId, filePath: 'a.test.js', code: 'x' })
})

afterAll(() => core[Symbol.asyncDispose]())

/** A home without a login. */
async function newHome() {
  const folder = await createFolder()
  const env = { XDG_CONFIG_HOME: folder.path }
  const type = (words: string[], input?: string) => assay(words, { env, ...(input === undefined ? {} : { input }) })
  return { ...folder, type, loginFile: join(folder.path, 'assay', 'login.json') }
}

test('login checks a token from stdin and saves it for its owner alone, until logout', async () => {
  await using home = await newHome()
  const login = await home.type(['login', '--url', `${core.url}/`, '--with-token'], `${token}\n`)
  expect(login).toMatchObject({ exitCode: 0, stderr: '' })
  expect(login.stdout).toContain(email)
  expect(login.stdout).not.toContain(token)
  expect((await stat(home.loginFile)).mode & 0o777).toBe(0o600)

  const whoami = await home.type(['whoami', '--json'])
  expect(JSON.parse(whoami.stdout)).toMatchObject({ server: core.url, tokenFrom: 'assay login', user: { email } })

  const logout = await home.type(['logout'])
  expect(logout).toMatchObject({ exitCode: 0 })
  expect(logout.stdout).toContain('remains valid')
  expect(await readFile(home.loginFile, 'utf8')).not.toContain('svc_')
  expect(await home.type(['logout'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('You were not logged in'),
  })
})

test('login saves neither an invalid token nor one for a server that does not answer', async () => {
  await using home = await newHome()
  const unknown = await home.type(['login', '--url', core.url, '--with-token'], `svc_${'x'.repeat(40)}`)
  expect(unknown).toMatchObject({ exitCode: 3, stdout: '' })
  const noToken = await home.type(['login', '--url', core.url, '--with-token'], 'hunter2')
  expect(noToken).toMatchObject({ exitCode: 2, stdout: '' })
  expect(noToken.stderr).not.toContain('hunter2')
  const nobody = `http://127.0.0.1:${await freePort()}`
  const down = await home.type(['login', '--url', nobody, '--with-token'], token)
  expect(down).toMatchObject({ exitCode: 5, stdout: '' })
  expect(down.stderr).toContain(nobody)
  await expect(stat(home.loginFile)).rejects.toThrow('ENOENT')
})

test('login without a terminal explains --with-token', async () => {
  await using home = await newHome()
  const typed = await home.type(['login', '--url', core.url])
  expect(typed).toMatchObject({ exitCode: 2, stdout: '' })
  expect(typed.stderr).toContain('--with-token')
})

test('login with a password creates a token named after this machine, and leaves no session', async () => {
  await using home = await newHome()
  const login = await home.type(['login', '--url', core.url, '--email', email, '--json'], password)
  expect(login).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(login.stdout)).toMatchObject({ user: { email }, token: { name: `assay on ${hostname()}` } })
  expect(login.stdout).not.toContain('svc_')
  expect(await core.client(token).auth.listSessions.query()).toEqual([])

  const revoked = await home.type(['logout', '--revoke', '--json'])
  expect(JSON.parse(revoked.stdout)).toEqual({ server: core.url, forgotten: true, revoked: true })
  const [newest] = await core.client(token).tokens.list.query()
  expect(newest).toMatchObject({ name: `assay on ${hostname()}`, revokedAt: expect.any(String) })
})

test('login refuses a wrong password and does not print it', async () => {
  await using home = await newHome()
  const typed = await home.type(['login', '--url', core.url, '--email', email], 'another password')
  expect(typed).toMatchObject({ exitCode: 3, stdout: '' })
  expect(typed.stderr).not.toContain('another password')
})

test('creates a token, lists it without its value, and revokes it only with --yes', async () => {
  const env = { SVC_BASE_URL: core.url, SVC_API_TOKEN: token }
  const made = await assay(['tokens', 'create', 'for CI', '--scopes', 'tests:run,tests:read'], { env })
  expect(made).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^svc_[\w-]+\n$/) })
  const listed = await assay(['tokens', '--json'], { env })
  expect(listed.stdout).not.toContain('svc_')
  const { tokens } = JSON.parse(listed.stdout) as { tokens: { id: string; name: string; scopes: string[] }[] }
  expect(tokens[0]).toMatchObject({ name: 'for CI', scopes: ['tests:run', 'tests:read'] })
  const id = tokens[0]?.id ?? ''
  const { id: restrictedTo } = await createProjectFor(core, { user })
  await assay(['tokens', 'create', 'for one', '--scopes', 'tests:run', '--project', restrictedTo], { env })
  expect((await assay(['tokens'], { env })).stdout).toMatch(
    new RegExp(`\\tfor one\\t.*\\tproject ${restrictedTo}\\ttests:run$`, 'm'),
  )
  expect(await assay(['tokens', 'revoke', id], { env })).toMatchObject({ exitCode: 2, stdout: '' })
  expect(await assay(['tokens', 'revoke', id, '--yes'], { env })).toMatchObject({ exitCode: 0 })
  expect(await assay(['tokens', 'revoke', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '--yes'], { env })).toMatchObject({
    exitCode: 4,
  })
  const wrong = await assay(['tokens', 'create', 'x', '--scopes', 'everything'], { env })
  expect(wrong).toMatchObject({ exitCode: 2 })
  expect(wrong.stderr).toContain('projects:read')
})

test('does not send a token of the environment to the server of the login, and says so', async () => {
  await using home = await newHome()
  const loginUrl = `http://127.0.0.1:${await freePort()}`
  await mkdir(dirname(home.loginFile))
  await writeFile(home.loginFile, JSON.stringify({ current: loginUrl, servers: { [loginUrl]: { token } } }))
  const env = { XDG_CONFIG_HOME: home.path, SVC_API_TOKEN: token }
  // No server answers there, or one that does not know the token.
  for (const words of [['projects'], ['doctor']]) {
    const { stdout, stderr } = await assay(words, { env })
    expect(stdout + stderr).toContain(`address of your login, ${loginUrl}, is not used`)
    expect(stdout + stderr).toContain('SVC_BASE_URL')
  }
})

test('says where an invalid token comes from', async () => {
  await using home = await newHome()
  const bad = `svc_${'x'.repeat(40)}`
  await mkdir(dirname(home.loginFile))
  await writeFile(home.loginFile, JSON.stringify({ current: core.url, servers: { [core.url]: { token: bad } } }))
  for (const words of [['projects'], ['doctor']]) {
    const { stdout, stderr } = await home.type(words)
    expect(stdout + stderr).toContain('Log in again: `assay login`.')
    const set = await assay(words, { env: { SVC_BASE_URL: core.url, SVC_API_TOKEN: bad } })
    expect(set.stdout + set.stderr).toContain('It comes from SVC_API_TOKEN')
    expect(set.stdout + set.stderr).not.toContain('Log in again')
  }
})

test('doctor finds a readable login file, and a wrong server, token or setting', async () => {
  await using home = await newHome()
  await home.type(['login', '--url', core.url, '--with-token'], token)
  await chmod(home.loginFile, 0o644)
  const readable = await home.type(['doctor', '--json'])
  expect(readable).toMatchObject({ exitCode: 1, stderr: '' })
  expect(problemsOf(readable.stdout)).toContain('login file')

  const [down, unknown, setting] = await Promise.all([
    assay(['doctor', '--json'], {
      env: { SVC_BASE_URL: `http://127.0.0.1:${await freePort()}`, SVC_API_TOKEN: token },
    }),
    assay(['doctor', '--json'], { env: { SVC_BASE_URL: core.url, SVC_API_TOKEN: 'svc_nobody' } }),
    assay(['doctor', '--json'], { env: { SVC_BASE_URL: 'somewhere' } }),
  ])
  expect([down, unknown, setting].map(({ exitCode, stdout }) => [exitCode, problemsOf(stdout)])).toEqual([
    [1, ['server']],
    [1, ['token']],
    [1, ['settings']],
  ])
})

test('doctor shows the status of the server, its queues, and a token that expires soon or lacks scopes', async () => {
  const weak = await createTokenFor(core, { scopes: ['projects:read'] })
  const { stdout } = await assay(['doctor', '--json'], { env: { SVC_BASE_URL: core.url, SVC_API_TOKEN: weak } })
  const { findings } = JSON.parse(stdout) as Examined
  const of = (about: string) => findings.filter((finding) => finding.about === about)
  expect(of('token')).toContainEqual(expect.objectContaining({ state: 'note', detail: 'It expires in 0 days.' }))
  expect(of('scopes')).toMatchObject([{ state: 'note', detail: expect.stringContaining('tests:run') }])
  // No AI service belongs to this core.
  expect(of('AI')).toMatchObject([{ state: 'problem' }])
  for (const about of ['version', 'database', 'storage']) expect(of(about)).toMatchObject([{ state: 'good' }])
  expect(of('queue')).toMatchObject([{ state: 'good', detail: 'verifications: 0 running, 1 waiting.' }])
})

test('doctor waits for the check of the sandbox, and does not report a check that still runs as a problem', async () => {
  const { checks } = core.services
  const { executor } = checks
  const begin = (check: () => ReturnType<typeof executor>) => {
    checks.executor = cachedCheck({ check, late: pendingExecutorCheck, timeoutMs: 10, cacheMs: 60_000 })
  }
  const examined = async () => {
    const { stdout } = await assay(['doctor', '--json'], { env: { SVC_BASE_URL: core.url, SVC_API_TOKEN: token } })
    return (JSON.parse(stdout) as Examined).findings.find(({ about }) => about === 'executor')
  }
  try {
    begin(() => sleep(1_000).then(executor))
    expect(await examined()).toMatchObject({ state: 'good' })
    begin(() => new Promise(() => {}))
    expect(await examined()).toMatchObject({ state: 'note', detail: pendingExecutorCheck.problem })
  } finally {
    checks.executor = executor
  }
}, 90_000)

interface Examined {
  findings: { about: string; state: string; detail: string }[]
}

const problemsOf = (stdout: string) =>
  (JSON.parse(stdout) as Examined).findings
    .filter(({ state, about }) => state === 'problem' && about !== 'AI' && about !== 'executor')
    .map(({ about }) => about)
