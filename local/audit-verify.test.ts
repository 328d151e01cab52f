import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyAuditLog, holdChain, idleChain, recordRows } from '../core/identity/audit/testing.ts'
import type { AuditHead } from '../core/identity/audit/verify.ts'
import { createTestApp, type TestApp } from '../core/testing/app.ts'
import { launch, removeInstallation } from './testing.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

async function verify(environment: NodeJS.ProcessEnv, ...args: string[]) {
  const child = spawn(process.execPath, [resolve(import.meta.dirname, 'audit-verify.ts'), ...args], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

const onTestDatabase = () => ({ DATABASE_URL: app.config.databaseUrl, SECRET_KEY: app.config.secretKey })

test('reports an intact log with its head, which later shows deleted rows', async () => {
  await emptyAuditLog(app)
  await recordRows(app, 3)
  const first = await verify(onTestDatabase())
  expect(first).toMatchObject({ code: 0, stderr: '' })
  const head = /^3 rows, chain intact, head (3:[\w-]{43})\n/.exec(first.stdout)?.[1] ?? ''
  await recordRows(app, 1)
  const second = await verify(onTestDatabase(), '--head', head)
  expect(second).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^4 rows, .*\nThe known head 3:.* is in the log/),
  })

  await app.dataSource.query('ALTER TABLE audit_logs DISABLE TRIGGER USER')
  await app.dataSource.query('DELETE FROM audit_logs WHERE sequence >= 3')
  expect(await verify(onTestDatabase(), `--head=${head}`)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'assay: audit row 3 is missing: the log ends before the known head. 2 rows before it: intact.\n',
  })
})

test('names the first changed row and exits with 1', async () => {
  await emptyAuditLog(app)
  await recordRows(app, 3)
  await app.dataSource.query('ALTER TABLE audit_logs DISABLE TRIGGER USER')
  await app.dataSource.query("UPDATE audit_logs SET ip_address = '198.51.100.1' WHERE sequence = 2")
  expect(await verify(onTestDatabase())).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^assay: audit row 2 \(\w{26}\) was changed after it was written\. 1 row before it: intact\.\n$/,
    ),
  })
  const otherKey = { ...onTestDatabase(), SECRET_KEY: 'another key that is long enough to be one' }
  expect(await verify(otherKey)).toMatchObject({ code: 1, stderr: expect.stringContaining('SECRET_KEY') })
})

test('counts the rows that are not chained, and names a forged one', async () => {
  await emptyAuditLog(app)
  await recordRows(app, 1)
  await using _held = await holdChain(app)
  await recordRows({ dataSource: app.dataSource, services: { ...app.services, auditChain: idleChain } }, 2)
  expect(await verify(onTestDatabase())).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^1 row, chain intact, .*\n2 rows are not chained yet, since \d{4}-.*Z\./),
  })
  await app.dataSource.query(
    "INSERT INTO unchained_audit_logs (id, action, created_at, signature) VALUES ('forged', 'login', now(), 'x')",
  )
  expect(await verify(onTestDatabase())).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'assay: audit row that is not chained (forged) was changed or added without the key, so the server does not chain it. 1 row before it: intact.\n',
  })
})

test('reports that the log is no longer append-only, even where no row was changed', async () => {
  await emptyAuditLog(app)
  await recordRows(app, 1)
  for (const change of ['DISABLE TRIGGER audit_logs_table', 'ENABLE TRIGGER audit_logs_table']) {
    await app.dataSource.query(`ALTER TABLE audit_logs ${change}`)
    expect(await verify(onTestDatabase())).toEqual({
      code: 1,
      stdout: expect.stringContaining('1 row, chain intact'),
      stderr: expect.stringContaining('append-only are off'),
    })
  }
})

test.each([
  ['--head', '3'],
  ['--tail', '3:x'],
])('refuses %s %s', async (...args) => {
  expect(await verify(onTestDatabase(), ...args)).toMatchObject({ code: 1, stderr: expect.stringContaining('usage:') })
})

test('does not report a database without an audit log as intact', async () => {
  const url = Object.assign(new URL(app.config.databaseUrl), { pathname: '/postgres' })
  expect(await verify({ ...onTestDatabase(), DATABASE_URL: url.toString() })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no audit log'),
  })
})

test('works in local mode with and without a running Assay', { timeout: 240_000 }, async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'assay-audit-'))
  try {
    await chmod(DATA_DIR, 0o755)
    await using launched = launch({ DATA_DIR })
    const { api } = await launched.ready()
    const beside = await verify({ DATA_DIR })
    expect(beside).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^[1-9]\d* rows?, chain intact/),
    })
    expect((await fetch(`${api}/health`)).status).toBe(200)
    launched.signal('SIGTERM')
    await launched.end()

    const lines = (await readFile(join(DATA_DIR, 'logs', 'core.log'), 'utf8')).trim().split('\n')
    const heads = lines.flatMap((line) => (JSON.parse(line) as { audit?: AuditHead }).audit ?? [])
    const last = heads.at(-1)
    const alone = await verify({ DATA_DIR }, '--head', `${last?.sequence}:${last?.hash}`)
    expect(alone).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('no row up to it was deleted') })
  } finally {
    await removeInstallation(DATA_DIR)
  }
})
