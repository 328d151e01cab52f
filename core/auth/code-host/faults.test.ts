import { expect, test } from 'vitest'
import { app, approved, audited, callback, expectFailure, host, links, users } from '../../testing/code-host-scene.ts'
import { createVisitor } from '../../testing/visitor.ts'

test('a code host that is down, floods or redirects ends at the error page and is audited', async () => {
  const visitor = createVisitor(app)
  for (const where of ['token', 'user', 'emails'] as const) {
    for (const fault of ['hang_up', 'flood', 'redirect', 'gzip_bomb'] as const) {
      host.faults = { [where]: fault }
      expectFailure(await visitor.signIn(host), 'code_host_unreachable')
    }
  }
  expect((await audited('failed_auth'))[0]).toEqual({
    user_id: null,
    metadata: { method: 'code_host', reason: 'code_host_unreachable' },
  })
  expect(await links().countBy({ providerAccountId: String(host.user.id) })).toBe(0)
  expect(host.requests.filter((each) => each.endsWith('/followed'))).toEqual([])
  host.faults = {}
  expect((await visitor.signIn(host)).location).toBe(`${app.url}/`)
})

test('a code host that is slow is given ten seconds', { timeout: 20_000 }, async () => {
  host.faults = { token: 'stall' }
  const [one, two] = [createVisitor(app), createVisitor(app)]
  const startedAt = performance.now()
  const first = one.signIn(host)
  const back = await approved(two)
  // The first one is at its exchange by now; the second gets past it and waits for its profile.
  while (!host.requests.at(-1)?.endsWith('access_token')) await new Promise((resolve) => setTimeout(resolve, 10))
  host.faults = { user: 'drip' }
  const visits = await Promise.all([first, two.visit(callback + back.search)])
  for (const visit of visits) expectFailure(visit, 'code_host_unreachable')
  expect(performance.now() - startedAt).toBeGreaterThan(9_500)
  expect(performance.now() - startedAt).toBeLessThan(14_000)
})

test('a defect of ours ends at the error page as well, and leaves nothing half done', async () => {
  const visitor = createVisitor(app)
  const back = await approved(visitor, { errorCallbackURL: 'http://localhost:5173/oops' })
  await app.dataSource.query('ALTER TABLE sessions RENAME TO sessions_away')
  try {
    expectFailure(await visitor.visit(callback + back.search), 'unexpected', 'http://localhost:5173/oops')
  } finally {
    await app.dataSource.query('ALTER TABLE sessions_away RENAME TO sessions')
  }
  expect(await users().countBy({ email: host.emails[0]?.email ?? '' })).toBe(0)
})

test('neither log nor database holds a code, a token, a state, a secret or a cookie', async () => {
  const visitor = createVisitor(app)
  const back = await approved(visitor, { callbackURL: '/' })
  await app.dataSource.query('SELECT 1')
  const during = await everyRow()
  await visitor.visit(callback + back.search)
  host.faults = { token: { status: 400, body: JSON.stringify({ error: `no ${host.clientSecret}`, code: 'x' }) } }
  await visitor.signIn(host)
  const secrets = [...host.given.codes, ...host.given.tokens, ...visitor.cookies.values()]
  const all = [...secrets, host.clientSecret, back.searchParams.get('state') ?? 'none']
  for (const kept of [during, await everyRow(), app.logLines.join('\n')]) {
    expect(kept.length).toBeGreaterThan(1_000)
    for (const secret of all) expect(kept.includes(secret)).toBe(false)
  }
})

async function everyRow(): Promise<string> {
  const tables: { name: string }[] = await app.dataSource.query(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  )
  const rows = await Promise.all(
    tables.map(({ name }) => app.dataSource.query<{ row: string }[]>(`SELECT t::text AS row FROM ${name} t`)),
  )
  return rows
    .flat()
    .map(({ row }) => row)
    .join('\n')
}
