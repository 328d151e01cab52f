import { createTRPCClient, httpLink } from '@trpc/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AppRouter } from '../../router.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createSessionFor, createTokenFor, createUser } from '../../testing/factories.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

async function signedIn() {
  const user = await createUser(app)
  const { cookie } = await createSessionFor(app, user)
  const client = createTRPCClient<AppRouter>({ links: [httpLink({ url: `${app.url}/trpc`, headers: { cookie } })] })
  return { user, client, cookie }
}

test('shows the same profile by session and by token', async () => {
  const { user, client } = await signedIn()
  const profile = await client.auth.getProfile.query()
  expect(profile).toMatchObject({
    id: user.id,
    email: user.email,
    name: 'Test User',
    avatar: null,
    emailVerified: true,
  })
  const token = await createTokenFor(app, { user, scopes: ['profile:read'] })
  expect(await app.client(token).auth.getProfile.query()).toEqual(profile)
  const blind = app.client(await createTokenFor(app, { user, scopes: ['projects:read'] }))
  await expect(blind.auth.getProfile.query()).rejects.toMatchObject({ data: { code: 'FORBIDDEN', httpStatus: 403 } })
})

test('changes the given fields; null removes the picture', async () => {
  const { client } = await signedIn()
  const avatar = 'https://example.com/me.png'
  expect(await client.auth.updateProfile.mutate({ name: '  Ada  ', avatar })).toMatchObject({ name: 'Ada', avatar })
  const renamed = await client.auth.updateProfile.mutate({ name: 'Grace' })
  expect(renamed).toMatchObject({ name: 'Grace', avatar })
  expect(await client.auth.updateProfile.mutate({})).toEqual(renamed)
  expect(await client.auth.updateProfile.mutate({ avatar: null })).toMatchObject({ name: 'Grace', avatar: null })
  expect(await client.auth.getSession.query()).toMatchObject({ user: { name: 'Grace', avatar: null } })
})

test('a change requires the scope profile:write, and affects no other user', async () => {
  const [{ user, client }, other] = [await signedIn(), await signedIn()]
  const reader = app.client(await createTokenFor(app, { user, scopes: ['profile:read'] }))
  await expect(reader.auth.updateProfile.mutate({ name: 'x' })).rejects.toThrow('profile:write')
  const writer = app.client(await createTokenFor(app, { user, scopes: ['profile:write'] }))
  expect(await writer.auth.updateProfile.mutate({ name: 'By token' })).toMatchObject({ id: user.id, name: 'By token' })
  expect((await client.auth.getProfile.query()).name).toBe('By token')
  expect((await other.client.auth.getProfile.query()).name).toBe('Test User')
})

test.for([
  [{ name: '' }, 'name'],
  [{ name: '   ' }, 'name'],
  [{ name: 'x'.repeat(101) }, 'name'],
  [{ name: null }, 'name'],
  [{ name: 7 }, 'name'],
  [{ avatar: '' }, 'avatar'],
  [{ avatar: 'me.png' }, 'avatar'],
  [{ avatar: '//example.com/me.png' }, 'avatar'],
  [{ avatar: 'javascript:alert(1)' }, 'avatar'],
  [{ avatar: 'data:image/svg+xml,<svg/>' }, 'avatar'],
  [{ avatar: 'file:///etc/passwd' }, 'avatar'],
  [{ avatar: 'JavaScript://example.com/%0aalert(1)' }, 'avatar'],
  [{ avatar: `https://example.com/${'x'.repeat(2_000)}` }, 'avatar'],
  [{ avatar: {} }, 'avatar'],
] as const)('refuses %o and names the field', async ([input, field]) => {
  const { cookie, client } = await signedIn()
  const response = await app.fetch('/trpc/auth.updateProfile', {
    method: 'POST',
    cookie,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringMatching(`^${field}: `) })
  expect(await client.auth.getProfile.query()).toMatchObject({ name: 'Test User', avatar: null })
})

test('an update cannot change the address or its verification', async () => {
  const { client, cookie, user } = await signedIn()
  await app.fetch('/trpc/auth.updateProfile', {
    method: 'POST',
    cookie,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'x', email: 'other@example.com', emailVerified: false, id: 'x' }),
  })
  expect(await client.auth.getProfile.query()).toMatchObject({ id: user.id, email: user.email, emailVerified: true })
})

test('the audit log lists only the own entries, newest first and by page', async () => {
  const { client, user } = await signedIn()
  await signedIn()
  for (let device = 0; device < 3; device++) await createSessionFor(app, user)
  await client.auth.revokeOtherSessions.mutate()
  const all = await client.auth.getAuditLogs.query()
  expect(all.map(({ action }) => action)).toEqual(['session_revoked', ...Array.from({ length: 4 }, () => 'login')])
  expect(new Set(all.map(({ userId }) => userId))).toEqual(new Set([user.id]))
  expect(all[0]).toMatchObject({ metadata: { count: 3, reason: 'asked' }, ipAddress: '127.0.0.1' })
  expect(await client.auth.getAuditLogs.query({ limit: 2, offset: 1 })).toEqual(all.slice(1, 3))
  const reader = app.client(await createTokenFor(app, { user, scopes: ['audit:read'] }))
  expect(await reader.auth.getAuditLogs.query({ limit: 1 })).toHaveLength(1)
  for (const input of [{ limit: 0 }, { limit: 101 }, { offset: -1 }, { limit: 1.5 }]) {
    await expect(client.auth.getAuditLogs.query(input)).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } })
  }
})
