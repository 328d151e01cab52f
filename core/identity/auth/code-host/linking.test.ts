import { expect, test } from 'vitest'
import type { EntityManager } from 'typeorm'
import {
  app,
  approved,
  audited,
  callback,
  countSessions,
  expectFailure,
  host,
  links,
  sessionOf,
  useCodeHostScene,
  users,
} from '../../../testing/code-host-scene.ts'
import { createSessionFor, createTokenFor, createUser } from '../../../testing/factories.ts'
import { createVisitor, type Visit } from '../../../testing/visitor.ts'
import { AccountLinkEntity } from '../../../code-host/entity.ts'

useCodeHostScene()

test('linking requires a session, not a token', async () => {
  const visit = await createVisitor(app).visit('/api/auth/link-social', {
    method: 'POST',
    json: { provider: 'code_host' },
  })
  expect(visit.status).toBe(401)
  const authorization = `Bearer ${await createTokenFor(app)}`
  const json = { provider: 'code_host' }
  const byToken = await createVisitor(app).visit('/api/auth/link-social', {
    method: 'POST',
    json,
    headers: { authorization },
  })
  expect(byToken.status).toBe(403)
})

/** Creates a signed-in visitor. */
async function signedIn() {
  const user = await createUser(app)
  const { cookie, sessionId } = await createSessionFor(app, user)
  const visitor = createVisitor(app, { 'service.session_token': cookie.slice(cookie.indexOf('=') + 1) })
  return { user, sessionId, visitor }
}

test('a signed-in user links an account with any address, and keeps the session', async () => {
  const { user, visitor } = await signedIn()
  const before = await countSessions()
  const url = new URL(await visitor.begin({ scopes: ['repo'] }, '/api/auth/link-social'))
  expect(url.searchParams.get('scope')).toBe('read:user user:email repo')
  const visit = await visitor.signIn(host, { callbackURL: '/settings' }, '/api/auth/link-social')
  expect(visit.location).toBe(`${app.url}/settings`)
  expect(sessionOf(visit)).toBeUndefined()
  expect(await countSessions()).toBe(before)
  expect(await links().findOneByOrFail({ userId: user.id })).toMatchObject({ login: host.user.login })
  expect((await audited('account_linked'))[0]?.user_id).toBe(user.id)
  expect((await visitor.signIn(host, {}, '/api/auth/link-social')).location).toBe(`${app.url}/`)
  const other = createVisitor(app)
  await other.signIn(host)
  expect(JSON.parse((await other.visit('/api/auth/get-session')).body).user.id).toBe(user.id)
})

test('an account of another user is not linked', async () => {
  await createVisitor(app).signIn(host)
  const { user, visitor } = await signedIn()
  const visit = await visitor.signIn(host, { errorCallbackURL: '/settings' }, '/api/auth/link-social')
  expectFailure(visit, 'account_already_linked', `${app.url}/settings`)
  expect(await links().countBy({ userId: user.id })).toBe(0)
})

test('a link that one user began cannot be completed by another user or without a session', async () => {
  const { visitor } = await signedIn()
  const other = await signedIn()
  const back = await approved(visitor, {}, '/api/auth/link-social')
  visitor.cookies.set('service.session_token', other.visitor.cookies.get('service.session_token') ?? '')
  expectFailure(await visitor.visit(callback + back.search), 'session_changed')
  const again = await signedIn()
  const late = await approved(again.visitor, {}, '/api/auth/link-social')
  again.visitor.cookies.delete('service.session_token')
  expectFailure(await again.visitor.visit(callback + late.search), 'session_changed')
  expect(await links().countBy({ providerAccountId: String(host.user.id) })).toBe(0)
})

/** Runs `work` in parallel with a return, which waits for the locked user row. */
async function meanwhile(userId: string, start: () => Promise<Visit>, work: (db: EntityManager) => Promise<unknown>) {
  const { visit } = await app.dataSource.transaction(async (db) => {
    await db.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [userId])
    const visit = start()
    for (let waiting = 0; waiting === 0;) {
      const [row] = await db.query(`SELECT count(*)::int AS waiting FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`)
      waiting = row.waiting
    }
    await work(db)
    return { visit }
  })
  return visit
}

test('a link is not created if its session ends during the calls to the code host', async () => {
  const { user, sessionId, visitor } = await signedIn()
  const back = await approved(visitor, {}, '/api/auth/link-social')
  const visit = await meanwhile(
    user.id,
    () => visitor.visit(callback + back.search),
    (db) => db.query('UPDATE sessions SET revoked_at = now() WHERE id = $1', [sessionId]),
  )
  expectFailure(visit, 'session_changed')
  expect(await links().countBy({ userId: user.id })).toBe(0)
})

test('a sign-in fails if its link is removed in the meantime', async () => {
  const { user, visitor } = await signedIn()
  await visitor.signIn(host, {}, '/api/auth/link-social')
  await users().update({ id: user.id }, { email: host.emails[0]?.email ?? '', emailVerified: false })
  const other = createVisitor(app)
  const back = await approved(other)
  const visit = await meanwhile(
    user.id,
    () => other.visit(callback + back.search),
    (db) => db.getRepository(AccountLinkEntity).delete({ userId: user.id }),
  )
  expectFailure(visit, 'account_not_linked')
})
