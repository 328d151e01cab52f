import { expect, test } from 'vitest'
import { decrypt } from '../../../base/crypto.ts'
import {
  app,
  approved,
  audited,
  signInAsNewUser,
  callback,
  expectFailure,
  host,
  links,
  useCodeHostScene,
  users,
} from '../../../testing/code-host-scene.ts'
import { createUser } from '../../../testing/factories.ts'
import { createVisitor, type Visit } from '../../../testing/visitor.ts'

useCodeHostScene()

test('a known account signs in the same user, even if its profile changed at the code host', async () => {
  const first = createVisitor(app)
  await first.signIn(host)
  const { userId } = await links().findOneByOrFail({ providerAccountId: String(host.user.id) })
  await users().update({ id: userId }, { name: 'Chosen here', avatar: null })
  host.user = { ...host.user, login: 'renamed', name: 'Renamed' }
  host.emails = []
  const second = createVisitor(app)
  expect((await second.signIn(host)).location).toBe(`${app.url}/`)
  expect(await links().findOneByOrFail({ userId })).toMatchObject({ login: 'renamed' })
  expect(await users().findOneByOrFail({ id: userId })).toMatchObject({
    email: `person${host.user.id}@example.com`,
    name: 'Chosen here',
    avatar: host.user.avatar_url,
  })
})

test('a sign-in keeps a token with more scopes, and replaces one with fewer', async () => {
  const visitor = createVisitor(app)
  const tokens: (string | undefined)[] = []
  const stored = async () => {
    const link = await links().findOneByOrFail({ providerAccountId: String(host.user.id) })
    return decrypt(app.config.secretKey, `account_links/${link.id}/access_token`, link.accessToken)
  }
  for (const scope of ['read:user,user:email', 'repo,read:user,user:email', 'read:user,user:email']) {
    host.grantedScope = scope
    await visitor.signIn(host)
    tokens.push(host.given.tokens.at(-1))
    expect(await stored()).toBe(tokens[Math.min(tokens.length - 1, 1)])
  }
})

test('an unverified address of the code host does not link an existing account', async () => {
  const victim = await createUser(app)
  host.emails = [{ email: victim.email, verified: false, primary: true }]
  const visitor = createVisitor(app)
  await visitor.signIn(host)
  const { user } = JSON.parse((await visitor.visit('/api/auth/get-session')).body)
  expect(user.id).not.toBe(victim.id)
  expect(user).toMatchObject({
    email: `${host.user.id}+${host.user.login}@users.noreply.127.0.0.1`,
    emailVerified: false,
  })
})

test('a user who signed up with the placeholder address before cannot block or take over the account', async () => {
  const email = `${host.user.id}+${host.user.login}@users.noreply.127.0.0.1`
  const squatter = await createUser(app, { email, emailVerified: false })
  host.emails = []
  const visitor = createVisitor(app)
  await visitor.signIn(host)
  const { user } = JSON.parse((await visitor.visit('/api/auth/get-session')).body)
  expect(user.id).not.toBe(squatter.id)
  expect(user.email).toMatch(/^[0-9a-z]{26}\+/)
})

test('an address that both sides have verified links the account, in any case or Unicode form', async () => {
  const owner = await createUser(app, { email: 'ångström@bücher.example'.replace('bücher', 'xn--bcher-kva') })
  const forms = [
    'ÅNGSTRÖM@BÜCHER.example',
    'ångström@bücher.example'.normalize('NFD'),
    'ａngström@xn--bcher-kva.EXAMPLE',
  ]
  expect(forms[2]?.normalize('NFKC').startsWith('angström')).toBe(true)
  for (const email of forms.slice(0, 2)) {
    signInAsNewUser()
    host.emails = [{ email, verified: true, primary: true }]
    const visitor = createVisitor(app)
    await visitor.signIn(host)
    expect(JSON.parse((await visitor.visit('/api/auth/get-session')).body).user.id).toBe(owner.id)
  }
  // A different letter is a different address.
  signInAsNewUser()
  host.emails = [{ email: forms[2] ?? '', verified: true, primary: true }]
  const visitor = createVisitor(app)
  await visitor.signIn(host)
  expect(JSON.parse((await visitor.visit('/api/auth/get-session')).body).user.id).not.toBe(owner.id)
})

test('an account with an unverified address is not linked, and the error says so', async () => {
  const squatter = await createUser(app, { email: host.emails[0]?.email ?? '', emailVerified: false })
  const visitor = createVisitor(app)
  expectFailure(await visitor.signIn(host), 'account_not_linked')
  expect(await links().countBy({ userId: squatter.id })).toBe(0)
  expect((await audited('failed_auth'))[0]).toEqual({
    user_id: squatter.id,
    metadata: { method: 'code_host', reason: 'account_not_linked' },
  })
})

test('with SIGN_UP=closed, only known accounts sign in', async () => {
  const known = host.user
  await createVisitor(app).signIn(host)
  app.config.signUp = 'closed'
  try {
    expect((await createVisitor(app).signIn(host)).location).toBe(`${app.url}/`)
    signInAsNewUser()
    expectFailure(await createVisitor(app).signIn(host), 'sign_up_closed')
    const existing = await createUser(app)
    host.emails = [{ email: existing.email, verified: true, primary: true }]
    expect((await createVisitor(app).signIn(host)).location).toBe(`${app.url}/`)
    expect(host.user.id).not.toBe(known.id)
  } finally {
    app.config.signUp = 'open'
  }
})

test('two parallel first sign-ins of one new account sign in the same user', async () => {
  const visitors = Array.from({ length: 6 }, () => createVisitor(app))
  const backs = await Promise.all(visitors.map((visitor) => approved(visitor)))
  const visits = await Promise.all(visitors.map((visitor, index) => visitor.visit(callback + backs[index]?.search)))
  for (const visit of visits) expect(visit.location).toBe(`${app.url}/`)
  expect(await users().countBy({ email: host.emails[0]?.email ?? '' })).toBe(1)
  expect(await links().countBy({ providerAccountId: String(host.user.id) })).toBe(1)
})

test('two parallel new accounts with one verified address become one user', async () => {
  const visitors = [createVisitor(app), createVisitor(app)]
  const { emails } = host
  const visits = await Promise.all(
    visitors.map(async (visitor) => {
      const back = await approved(visitor)
      return { visitor, back }
    }),
  )
  const finished: Promise<Visit>[] = []
  for (const { visitor, back } of visits) {
    signInAsNewUser()
    host.emails = emails
    finished.push(visitor.visit(callback + back.search))
    const exchanges = host.given.tokens.length
    while (host.given.tokens.length === exchanges) await new Promise((resolve) => setTimeout(resolve, 2))
  }
  for (const visit of await Promise.all(finished)) expect(visit.location).toBe(`${app.url}/`)
  const user = await users().findOneByOrFail({ email: emails[0]?.email ?? '' })
  expect(await links().countBy({ userId: user.id })).toBe(2)
})
