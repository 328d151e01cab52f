import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contextFor } from '../testing/context.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createRunFor,
  createSessionFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'
import { inTransaction } from '../base/context.ts'
import { Scope } from '../base/schema.ts'
import type { TestRunRow } from './entity.ts'
import { followRun } from './follow.ts'
import { openRunLog } from './log/log.ts'
import { beginRun, endRun } from './state.ts'
import { openStream } from './testing.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

async function setUp(fields: Partial<TestRunRow> = {}, on = app) {
  const user = await createUser(on)
  const project = await createProjectFor(on, { user })
  const run = await createRunFor(on, { projectId: project.id, ...fields })
  const token = await createTokenFor(on, { user })
  const log = openRunLog(on.dataSource.manager, run.id, {
    mask: (line) => line,
    firstLine: 0,
    maxBytes: 2 ** 30,
    onError: (error) => {
      throw error
    },
  })
  const write = async (...lines: string[]) => {
    for (const line of lines) log.say(line)
    await log.flush()
  }
  return { user, run, token, write, runId: run.id, ctx: contextFor(on) }
}

const end = async (ctx: ReturnType<typeof contextFor>, runId: string, attempt: number) =>
  inTransaction(ctx, (tx) => endRun(tx, { id: runId, attempt }, { status: 'COMPLETED', totalTests: 2, passedTests: 2 }))

test('streams a run from the queue to its end, with every log line once and in order', async () => {
  const { run, runId, token, write, ctx } = await setUp()
  const url = `${app.config.baseUrl}/projects/${run.projectId}/runs/${runId}`
  const stream = await openStream(app, runId, { token })
  expect(stream.response.status).toBe(200)
  expect(Object.fromEntries(stream.response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  await expect.poll(stream.names).toEqual(['status'])
  expect(stream.events[0]?.data).toMatchObject({
    runId,
    url,
    status: 'PENDING',
    queue: { position: expect.any(Number) },
  })

  const begun = await beginRun(ctx, runId)
  await write('first', 'two\rparts, ünicode 🙂', '')
  await expect.poll(stream.lines, { timeout: 3_000 }).toEqual(['first', 'two\rparts, ünicode 🙂', ''])
  await write('last')
  expect(await end(ctx, runId, begun?.run.attempt ?? 0)).toBe(true)
  expect(await stream.ended).toBe('ended')

  expect(stream.lines()).toEqual(['first', 'two\rparts, ünicode 🙂', '', 'last'])
  const statuses = stream.events.flatMap(({ event, data }) => (event === 'status' ? [data.status] : []))
  expect([...new Set(statuses)]).toEqual(['PENDING', 'RUNNING', 'PASSED'])
  expect(stream.events.at(-1)).toMatchObject({
    event: 'end',
    id: 'end',
    data: { url, status: 'PASSED', totalTests: 2 },
  })
  expect(stream.names().filter((name) => name === 'end')).toHaveLength(1)
})

test('ends at once after a run, but later after a cancelled one, whose last lines are still stored', async () => {
  const firstEvents = async (status: 'COMPLETED' | 'FAILED' | 'CANCELLED') => {
    const { user, runId, ctx } = await setUp({ status, completedAt: new Date(Date.now() + 60_000) })
    const [token] = await ctx.db.query<{ id: string }[]>('SELECT id FROM api_tokens WHERE user_id = $1', [user.id])
    const actor = {
      kind: 'token' as const,
      userId: user.id,
      email: user.email,
      name: user.name,
      tokenId: token?.id ?? '',
      scopes: Scope.options,
      expiresAt: new Date(),
      organizationId: null,
      projectId: null,
    }
    for await (const events of followRun({ ...ctx, actor }, { runId, from: 0 })) return events.map(({ event }) => event)
    return []
  }
  expect(await firstEvents('COMPLETED')).toEqual(['status', 'end'])
  expect(await firstEvents('FAILED')).toEqual(['status', 'end'])
  expect(await firstEvents('CANCELLED')).toEqual(['status'])
})

test('continues with the next line after a reconnect, and answers 204 after the end', async () => {
  const { runId, token, write } = await setUp({ status: 'COMPLETED' })
  await write(...Array.from({ length: 450 }, (_, index) => `line ${index}`))
  const whole = await openStream(app, runId, { token })
  expect(await whole.ended).toBe('ended')
  expect(whole.lines()).toEqual(Array.from({ length: 450 }, (_, index) => `line ${index}`))
  expect(whole.events.find(({ event }) => event === 'log')).toMatchObject({ id: '0', data: { line: 0 } })

  const from = async (lastId: string, query = '') => {
    const stream = await openStream(app, runId, { token, query, headers: { 'last-event-id': lastId } })
    await stream.ended
    return { status: stream.response.status, lines: stream.lines(), names: new Set(stream.names()) }
  }
  expect(await from('447')).toMatchObject({ lines: ['line 448', 'line 449'] })
  // Where it stopped counts, not where it began.
  expect(await from('448', '?from=3')).toMatchObject({ lines: ['line 449'] })
  expect(await from('', '?from=-2')).toMatchObject({ lines: ['line 448', 'line 449'] })
  expect(await from('', '?from=-9000')).toMatchObject({ lines: { length: 450 } })
  expect(await from('rubbish', '?from=449')).toMatchObject({ lines: ['line 449'] })
  expect(await from('99999')).toMatchObject({ lines: [], names: new Set(['status', 'end']) })
  expect(await from('end')).toMatchObject({ status: 204, lines: [] })
})

test.each(['x', '1.5', '', '1&from=2', '9'.repeat(30)])('rejects from=%s by name', async (from) => {
  const { runId, token } = await setUp()
  const { response } = await openStream(app, runId, { token, query: `?from=${from}` })
  expect(response.status).toBe(400)
})

test('streams to a browser with a session, and only to pages of trusted origins', async () => {
  const { user, runId } = await setUp({ status: 'CANCELLED' })
  const { cookie } = await createSessionFor(app, user)
  const trusted = await openStream(app, runId, { cookie, headers: { origin: 'http://localhost:5173' } })
  expect(await trusted.ended).toBe('ended')
  expect(trusted.names()).toEqual(['status', 'end'])
  expect(trusted.response.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
  expect(trusted.response.headers.get('access-control-allow-credentials')).toBe('true')
  const foreign = await openStream(app, runId, { cookie, headers: { origin: 'https://evil.example' } })
  expect(foreign.response.headers.get('access-control-allow-origin')).toBeNull()
  await foreign.ended
  const head = await app.fetch(`/api/test-runs/${runId}/events`, { cookie, method: 'HEAD' })
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
})

test('ends a stream within seconds after the loss of the token, session, membership or project', async () => {
  const { user, runId, token, run } = await setUp({ status: 'RUNNING' })
  const { cookie, sessionId } = await createSessionFor(app, user)
  const { id: organizationId } = await createOrganizationFor(app)
  const member = await createUser(app)
  await createMembershipFor(app, { organizationId, user: member, role: 'viewer' })
  const shared = await createProjectFor(app, { organizationId })
  const ofOrganization = await createRunFor(app, { projectId: shared.id, status: 'RUNNING' })
  const doomed = await setUp({ status: 'RUNNING' })

  const byMember = await openStream(app, ofOrganization.id, { token: await createTokenFor(app, { user: member }) })
  const bySession = await openStream(app, runId, { cookie })
  const byToken = await openStream(app, runId, { token })
  const ofDoomed = await openStream(app, doomed.runId, { token: doomed.token })
  const untouched = await openStream(app, runId, { token: await createTokenFor(app, { user }) })
  for (const stream of [byMember, bySession, byToken, ofDoomed]) await expect.poll(stream.names).toEqual(['status'])

  await app.dataSource.query('DELETE FROM memberships WHERE user_id = $1', [member.id])
  await app.dataSource.query('UPDATE sessions SET revoked_at = now() WHERE id = $1', [sessionId])
  const client = app.client(token)
  await client.tokens.revoke.mutate({ tokenId: (await client.tokens.current.query()).id })
  await app.client(doomed.token).projects.deleteProject.mutate({ projectId: doomed.run.projectId })
  const all = Promise.all([byMember, bySession, byToken, ofDoomed].map(({ ended }) => ended))
  expect(await all).toEqual(['ended', 'ended', 'ended', 'ended'])
  expect(byMember.names()).not.toContain('end')
  expect((await openStream(app, runId, { token })).response.status).toBe(401)

  await app.dataSource.query(`UPDATE test_runs SET status = 'CANCELLED' WHERE id = $1`, [run.id])
  expect(await untouched.ended).toBe('ended')
  expect(untouched.names()).toEqual(['status', 'status', 'end'])
})

// Waited for, it would take the ten seconds that callers have to leave.
test('ends streams when the program stops, without delaying the stop', { timeout: 9_000 }, async () => {
  const stopped = await createTestApp({ role: 'web' })
  const { runId, token } = await setUp({ status: 'RUNNING' }, stopped)
  const stream = await openStream(stopped, runId, { token })
  await expect.poll(stream.names).toEqual(['status'])
  await stopped[Symbol.asyncDispose]()
  expect(await stream.ended).toBe('ended')
  expect(stream.names()).toEqual(['status'])
})

test('limits a user to 20 open streams', async () => {
  const { runId, token } = await setUp({ status: 'RUNNING' })
  const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(app, runId, { token })))
  expect(streams.map(({ response }) => response.status)).toEqual(Array(20).fill(200))
  const surplus = await openStream(app, runId, { token })
  expect([surplus.response.status, surplus.response.headers.get('retry-after')]).toEqual([429, '10'])
  const other = await setUp({ status: 'COMPLETED' })
  expect((await openStream(app, other.runId, { token: other.token })).response.status).toBe(200)
  for (const { leave } of streams) leave()
  const again = async () => {
    const { response, leave } = await openStream(app, runId, { token })
    leave()
    return response.status
  }
  await expect.poll(again, { timeout: 5_000 }).toBe(200)
})

test('buffers at most one page of a 30 MB log for a reader that stops reading', async () => {
  const { runId, token } = await setUp({ status: 'COMPLETED' })
  await app.dataSource.query(
    `INSERT INTO test_run_log (run_id, first_line, lines, text)
     SELECT $1, n * 20, 20, trim(trailing E'\\n' FROM repeat(repeat('x', 3900) || E'\\n', 20)) FROM generate_series(0, 399) n`,
    [runId],
  )
  const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed
  const reads = await countReads(async () => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    socket.on('error', () => {}) // It is destroyed in the middle.
    socket.write(
      `GET /api/test-runs/${runId}/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    )
    socket.pause()
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    socket.destroy()
  })
  // Kernel buffers take some MB; the rest waits in the database.
  expect(reads).toBeLessThan(20)
  const after = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed
  expect(after - before).toBeLessThan(60_000_000)
  const whole = await openStream(app, runId, { token })
  await whole.ended
  expect(whole.lines()).toHaveLength(8_000)
})

/** How often pages of the log are read meanwhile. */
async function countReads(work: () => Promise<void>): Promise<number> {
  const { manager } = app.dataSource
  const query = manager.query.bind(manager)
  let count = 0
  manager.query = ((sql: string, parameters?: unknown[]) => {
    if (sql.includes('FROM test_run_log')) count++
    return query(sql, parameters)
  }) as typeof manager.query
  try {
    await work()
  } finally {
    manager.query = query
  }
  return count
}
