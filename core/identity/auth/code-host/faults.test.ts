import { expect, test } from 'vitest'
import {
  app,
  approved,
  audited,
  callback,
  expectFailure,
  host,
  links,
  useCodeHostScene,
  users,
} from '../../../testing/code-host-scene.ts'
import { dumpDatabase } from '../../../testing/dump.ts'
import { createVisitor } from '../../../testing/visitor.ts'

useCodeHostScene()

test('a code host that is unavailable, sends too much or redirects leads to the error page and an audit row', async () => {
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

test('a defect leads to the error page too, and leaves nothing half done', async () => {
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

test('neither log nor database contains a code, token, state, secret or cookie', async () => {
  const visitor = createVisitor(app)
  const back = await approved(visitor, { callbackURL: '/' })
  await app.dataSource.query('SELECT 1')
  const during = await dumpDatabase(app)
  await visitor.visit(callback + back.search)
  host.faults = { token: { status: 400, body: JSON.stringify({ error: `no ${host.clientSecret}`, code: 'x' }) } }
  await visitor.signIn(host)
  const secrets = [...host.given.codes, ...host.given.tokens, ...visitor.cookies.values()]
  const all = [...secrets, host.clientSecret, back.searchParams.get('state') ?? 'none']
  for (const kept of [during, await dumpDatabase(app), app.logLines.join('\n')]) {
    expect(kept.length).toBeGreaterThan(1_000)
    for (const secret of all) expect(kept.includes(secret)).toBe(false)
  }
})
