import { expect, test } from 'vitest'
import { decrypt } from '../../../base/crypto.ts'
import {
  app,
  approved,
  callback,
  countSessions,
  expectFailure,
  host,
  links,
  passTime,
  sessionOf,
  useCodeHostScene,
} from '../../../testing/code-host-scene.ts'
import { createVisitor } from '../../../testing/visitor.ts'

useCodeHostScene()

test('a forged access_token has no effect', async () => {
  const visitor = createVisitor(app)
  const tokens = ['access_token=forged', 'access_token=forged&token_type=bearer&raw[access_token]=x&id_token=a.b.c']
  for (const query of tokens) {
    expectFailure(await visitor.visit(`${callback}?${query}`), 'invalid_state')
    const { searchParams } = await approved(visitor)
    const asked = host.requests.length
    expectFailure(await visitor.visit(`${callback}?state=${searchParams.get('state')}&${query}`), 'invalid_code')
    expect(host.requests.length).toBe(asked)
  }
  const back = await approved(visitor)
  const visit = await visitor.visit(`${callback}${back.search}&access_token=forged`)
  expect(visit.location).toBe(`${app.url}/`)
  const link = await links().findOneByOrFail({ providerAccountId: String(host.user.id) })
  expect(decrypt(app.config.secretKey, `account_links/${link.id}/access_token`, link.accessToken)).not.toBe('forged')
})

test('a missing, empty or made-up state is refused', async () => {
  const visitor = createVisitor(app)
  const code = (await approved(visitor)).searchParams.get('code')
  for (const query of [
    `code=${code}`,
    `code=${code}&state=`,
    `code=${code}&state=${'0'.repeat(40)}`,
    `code=${code}&state=%00`,
  ]) {
    expectFailure(await visitor.visit(`${callback}?${query}`), 'invalid_state')
  }
})

test('a repeated state parameter is refused, even with equal values, and does not use up the state', async () => {
  const visitor = createVisitor(app)
  const back = await approved(visitor)
  const state = back.searchParams.get('state')
  expectFailure(await visitor.visit(`${callback}${back.search}&state=${state}`), 'invalid_state')
  expectFailure(await visitor.visit(`${callback}${back.search}&state=other`), 'invalid_state')
  expect((await visitor.visit(callback + back.search)).location).toBe(`${app.url}/`)
})

test('a repeated code parameter is refused', async () => {
  const visitor = createVisitor(app)
  const back = await approved(visitor)
  expectFailure(await visitor.visit(`${callback}${back.search}&code=${back.searchParams.get('code')}`), 'invalid_code')
})

test('a state of another browser is refused, and stays valid in its own browser', async () => {
  const [mine, theirs] = [createVisitor(app), createVisitor(app)]
  const back = await approved(mine)
  await theirs.begin()
  expectFailure(await theirs.visit(callback + back.search), 'invalid_state')
  expectFailure(await createVisitor(app).visit(callback + back.search), 'invalid_state')
  expect((await mine.visit(callback + back.search)).location).toBe(`${app.url}/`)
})

test('two different browser cookies count as none, in either order', async () => {
  const visitor = createVisitor(app)
  const back = await approved(visitor)
  const cookies = [`service.sign_in=${'x'.repeat(43)}`, `service.sign_in=${visitor.cookies.get('service.sign_in')}`]
  for (const both of [cookies, cookies.toReversed()]) {
    const visit = await visitor.visit(callback + back.search, { headers: { cookie: both.join('; ') } })
    expectFailure(visit, 'invalid_state')
  }
  expect((await visitor.visit(callback + back.search)).location).toBe(`${app.url}/`)
})

test('a state works once', async () => {
  const visitor = createVisitor(app)
  const back = await approved(visitor)
  expect((await visitor.visit(callback + back.search)).location).toBe(`${app.url}/`)
  const before = await countSessions()
  expectFailure(await visitor.visit(callback + back.search), 'invalid_state')
  expect(await countSessions()).toBe(before)
})

test('a state expires after ten minutes', async () => {
  const visitor = createVisitor(app)
  const [early, late] = [await approved(visitor), await approved(visitor)]
  passTime(10 * 60_000 - 1)
  expect((await visitor.visit(callback + early.search)).location).toBe(`${app.url}/`)
  passTime(1)
  expectFailure(await visitor.visit(callback + late.search), 'invalid_state')
})

test('a HEAD request does not use up the state', async () => {
  const visitor = createVisitor(app)
  const back = await approved(visitor)
  expect((await visitor.visit(callback + back.search, { method: 'HEAD' })).status).toBe(405)
  expect((await visitor.visit(callback + back.search)).location).toBe(`${app.url}/`)
})

test('two tabs of one browser both sign in', async () => {
  const visitor = createVisitor(app)
  const [one, two] = [
    await approved(visitor, { callbackURL: '/one' }),
    await approved(visitor, { callbackURL: '/two' }),
  ]
  expect((await visitor.visit(callback + two.search)).location).toBe(`${app.url}/two`)
  expect((await visitor.visit(callback + one.search)).location).toBe(`${app.url}/one`)
})

test('ten parallel returns with one code create one session', async () => {
  const visitor = createVisitor(app)
  const back = await approved(visitor)
  const before = await countSessions()
  const visits = await Promise.all(Array.from({ length: 10 }, () => visitor.visit(callback + back.search)))
  expect(visits.filter((visit) => sessionOf(visit) !== undefined).length).toBe(1)
  expect(visits.filter(({ location }) => location?.endsWith('?error=invalid_state')).length).toBe(9)
  expect(await countSessions()).toBe(before + 1)
})

test('a user who declines returns to the error URL, and the state is used up', async () => {
  const visitor = createVisitor(app)
  const state = new URL(await visitor.begin({ errorCallbackURL: '/no?why=this' })).searchParams.get('state')
  const declined = await visitor.visit(
    `${callback}?error=access_denied&error_description=%3Cscript%3E&state=${state}&code=x`,
  )
  expect([declined.status, declined.location]).toEqual([302, `${app.url}/no?why=this&error=access_denied`])
  expectFailure(await visitor.visit(`${callback}?code=x&state=${state}`), 'invalid_state')
  expectFailure(await visitor.visit(`${callback}?error=access_denied`), 'access_denied')
  expectFailure(await visitor.visit(`${callback}?error=made+up%0d%0a&state=${'f'.repeat(40)}`), 'code_host_refused')
})
