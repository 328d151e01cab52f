import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestApp, type TestApp } from '../core/testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createTokenFor,
  createUser,
} from '../core/testing/factories.ts'
import { assay } from './testing/assay.ts'

vi.setConfig({ testTimeout: 60_000 })

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

interface Caller {
  user: Awaited<ReturnType<typeof createUser>>
  organizationId?: string
}

/** A project with the judged tests `adds` and `flickers`, and the commands of a user. */
async function createScene({ user, organizationId }: Caller) {
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, organizationId === undefined ? { user } : { organizationId })
  const form = new FormData()
  form.set('branch', 'main')
  form.set('commitSha', 'a'.repeat(40))
  const cases = ['adds', 'flickers'].map((name) => `<testcase classname="cart" name="${name}"/>`)
  form.append('reports', new Blob([`<testsuite name="cart">${cases.join('')}</testsuite>`]), 'junit.xml')
  await app.fetch(`/api/ci/upload/${projectId}`, { method: 'POST', body: form, token })
  const { tests } = app.client(token)
  const list = () => tests.list.query({ projectId })
  await vi.waitUntil(async () => (await list()).tests.length === 2, { timeout: 30_000 })
  const run = (...words: string[]) => assay(words, { env: { SVC_BASE_URL: app.url, SVC_API_TOKEN: token } })
  return {
    projectId,
    here: ['--project', projectId],
    run,
    quarantine: (...words: string[]) => run('quarantine', ...words),
  }
}

const idIn = (stdout: string) => /\nId\t(\w{26})\n/.exec(stdout)?.[1] ?? ''

const rowsOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((row) => row.split('\t'))

test('requests quarantine, which waits until it is granted, and extends it', async () => {
  const { here, run, quarantine } = await createScene({ user: await createUser(app) })
  const facts = ['--reason', 'fails at midnight', '--owner', 'ada', '--issue', 'https://issues.example.com/7']
  const requested = await quarantine('request', 'flick', ...here, ...facts, '--days', '3')
  expect(requested, requested.stderr).toMatchObject({ exitCode: 0 })
  expect(requested.stdout).toMatch(
    /^requested {2}cart > flickers\nQuarantine\trequested: muted\nLasts\t3 days from when it is granted\n/,
  )
  const id = idIn(requested.stdout)
  expect(requested.stdout).toContain(`assay quarantine grant ${id}`)
  expect((await run('tests', ...here)).stderr).toContain('; 1 request\n')
  const shown = await run('tests', 'show', 'flick', ...here)
  expect(shown.stdout).toContain(
    `\nQuarantine\trequested: muted (${id})\n  reason\tfails at midnight\n  owner\tada\n  issue\thttps://issues.example.com/7\n`,
  )

  const granted = await quarantine('grant', id, '--days', '9')
  const until = new Date(Date.now() + 9 * 86_400_000).toISOString().slice(0, 10)
  expect(granted.stdout).toContain(`active  cart > flickers\nQuarantine\tmuted until ${until}\n`)
  const [row, ...others] = rowsOf((await run('tests', '--quarantined', ...here)).stdout)
  expect([row?.[2], row?.[7], others]).toEqual([`muted until ${until}`, 'cart > flickers', []])
  const again = await quarantine('request', 'flick', ...here, '--reason', 'again')
  expect(again).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('`assay quarantine grant ID` extends it'),
  })
})

test('grants at once, releases, and lists open quarantines first', async () => {
  const { here, quarantine } = await createScene({ user: await createUser(app) })
  const first = await quarantine('request', 'adds', ...here, '--reason', 'slow', '--skip', '--grant', '--json')
  const { id, ...granted } = JSON.parse(first.stdout) as { id: string }
  expect(granted).toMatchObject({ status: 'active', mode: 'skipped', days: 14, name: 'adds' })
  const second = await quarantine('request', 'flickers', ...here, '--reason', 'random', '--variant', '')
  const released = await quarantine('release', idIn(second.stdout), '--reason', 'no')
  expect(released.stdout).toMatch(/^rejected {2}cart > flickers\n.*\nEnded because\tno\n/s)
  const rows = rowsOf((await quarantine(...here)).stdout)
  expect(rows.map(([, status, mode, , , name, reason]) => [status, mode, name, reason])).toEqual([
    ['active', 'skipped', 'cart > adds', 'slow'],
    ['rejected', 'muted', 'cart > flickers', 'random'],
  ])
  expect(rowsOf((await quarantine('list', ...here, '--status', 'active')).stdout)).toHaveLength(1)
  const ended = await quarantine('release', id)
  expect(ended).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^released/) })
  const today = new Date().toISOString().slice(0, 10)
  expect(ended.stdout).toContain(`\nEnded\t${today}T`)
  expect(ended.stdout).not.toContain('Until')
  expect(rowsOf((await quarantine(...here)).stdout).map(([, status, , until]) => [status, until])).toEqual([
    ['rejected', today],
    ['released', today],
  ])
})

test('says that an earlier request waits, and does not grant it for another one', async () => {
  const { here, quarantine } = await createScene({ user: await createUser(app) })
  const first = await quarantine('request', 'adds', ...here, '--reason', 'fails at midnight', '--days', '1')
  expect(first.stdout).toContain('\nLasts\t1 day from when it is granted\n')
  const same = await quarantine('request', 'adds', ...here, '--reason', 'fails at midnight', '--days', '1')
  expect(same).toEqual({ exitCode: 0, stdout: first.stdout, stderr: '' })
  const id = idIn(first.stdout)
  const other = await quarantine('request', 'adds', ...here, '--reason', 'slow', '--skip')
  expect(other).toMatchObject({ exitCode: 0, stdout: first.stdout })
  expect(other.stderr).toBe(
    `An earlier request for this test waits, with another reason and mode. It did not change. To replace it, run \`assay quarantine release ${id}\` and request again.\n`,
  )
  const granting = await quarantine('request', 'adds', ...here, '--reason', 'slow', '--grant')
  expect(granting).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('with another reason.') })
  const { stdout } = await quarantine(...here)
  expect(rowsOf(stdout).map(([, status]) => status)).toEqual(['requested'])
})

test('a member who may not grant learns that the request waits', async () => {
  const { id: organizationId } = await createOrganizationFor(app)
  const user = await createUser(app)
  await createMembershipFor(app, { organizationId, user, role: 'member' })
  const { here, quarantine } = await createScene({ user, organizationId })
  const { exitCode, stdout, stderr } = await quarantine('request', 'adds', ...here, '--reason', 'x', '--grant')
  expect({ exitCode, stderr }).toEqual({
    exitCode: 3,
    stderr: 'Your role or your token may not grant quarantine, so the request waits.\n',
  })
  expect(stdout).toMatch(/^requested {2}cart > adds\n/)
  expect(await quarantine('grant', idIn(stdout))).toMatchObject({ exitCode: 3, stdout: '' })
})

test('says what is missing, and does not find the quarantine of another user', async () => {
  const user = await createUser(app)
  const { here, quarantine, projectId } = await createScene({ user })
  expect(await quarantine('request', 'adds', ...here)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--reason <text>'),
  })
  expect(await quarantine('request', 'adds', ...here, '--reason', 'x', '--days', '91')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('from 1 to 90'),
  })
  expect(await quarantine('request', 'adds', ...here, '--reason', 'x', '--issue', 'javascript:x')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('issueUrl: must be an address that begins with https:// or http://'),
  })
  const others = await createScene({ user: await createUser(app) })
  const { stdout } = await others.quarantine('request', 'adds', ...others.here, '--reason', 'x')
  for (const words of [
    ['grant', idIn(stdout)],
    ['release', idIn(stdout)],
    ['release', '01JD0000000000000000000000'],
  ]) {
    expect(await quarantine(...words)).toEqual({
      exitCode: 4,
      stdout: '',
      stderr: 'No such quarantine. `assay quarantine` lists those of a project.\n',
    })
  }
  const token = await createTokenFor(app, { user, scopes: ['projects:read', 'tests:read'] })
  const env = { SVC_BASE_URL: app.url, SVC_API_TOKEN: token }
  const weak = await assay(['quarantine', 'request', 'adds', '--reason', 'x', '--project', projectId], { env })
  expect(weak).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('tests:write') })
})
