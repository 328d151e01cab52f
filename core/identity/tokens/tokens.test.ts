import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../../testing/factories.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

const day = 86_400_000

test('a token has the rights of its scopes, and only the response to its creation contains it', async () => {
  const client = app.client(await createTokenFor(app, { expiresAt: new Date(Date.now() + 300 * day) }))
  const created = await client.tokens.create.mutate({ name: 'CI', scopes: ['projects:read', 'tokens:manage'] })
  expect(created.token.endsWith(created.lastFour)).toBe(true)
  expect(Date.parse(created.expiresAt) - Date.parse(created.createdAt)).toBe(90 * day)

  const limited = app.client(created.token)
  expect(await limited.projects.getProjects.query()).toEqual([])
  await expect(
    limited.projects.createProject.mutate({ name: 'x', repository: 'https://example.com/x' }),
  ).rejects.toThrow('projects:write')
  const listed = JSON.stringify(await limited.tokens.list.query())
  expect(listed).toContain(created.id)
  expect(listed).not.toContain(created.token)
  expect(JSON.stringify(await app.dataSource.query('SELECT * FROM api_tokens'))).not.toContain(created.token)
})

test('a token cannot create a token with more scopes or a longer lifetime', async () => {
  const client = app.client(
    await createTokenFor(app, {
      scopes: ['tokens:manage', 'projects:read'],
      expiresAt: new Date(Date.now() + 10 * day),
    }),
  )
  await expect(client.tokens.create.mutate({ name: 'more', scopes: ['org:admin', 'projects:read'] })).rejects.toThrow(
    'org:admin',
  )
  await expect(
    client.tokens.create.mutate({ name: 'longer', scopes: ['projects:read'], expiresInDays: 11 }),
  ).rejects.toThrow('outlive')
  const made = await client.tokens.create.mutate({ name: 'as long', scopes: ['projects:read'] })
  expect(made.expiresAt).toBe((await client.tokens.current.query()).expiresAt)
})

test('a token restricted to a project sees only that project', async () => {
  const user = await createUser(app)
  const [mine, other] = [await createProjectFor(app, { user }), await createProjectFor(app, { user })]
  const wide = app.client(await createTokenFor(app, { user }))
  const { token } = await wide.tokens.create.mutate({
    name: 'confined',
    scopes: ['projects:read', 'projects:write', 'tokens:manage'],
    projectId: mine.id,
  })
  const confined = app.client(token)
  expect((await confined.projects.getProjects.query()).map(({ id }) => id)).toEqual([mine.id])
  await expect(confined.projects.getProject.query({ projectId: other.id })).rejects.toThrow('No such project')
  await expect(
    confined.projects.createProject.mutate({ name: 'x', repository: 'https://example.com/x' }),
  ).rejects.toThrow('restricted')
  const escape = { name: 'escape', scopes: ['projects:read' as const] }
  await expect(confined.tokens.create.mutate({ ...escape, projectId: other.id })).rejects.toThrow('restricted')
  expect(await confined.tokens.create.mutate(escape)).toMatchObject({ projectId: mine.id })
  expect(await confined.tokens.list.query()).toHaveLength(2)
  expect(await wide.tokens.list.query()).toHaveLength(3)
})

test('a revoked token is refused at once, also after it revoked itself', async () => {
  const client = app.client(await createTokenFor(app))
  const { id } = await client.tokens.current.query()
  const first = await client.tokens.revoke.mutate({ tokenId: id })
  expect(first.revokedAt).not.toBeNull()
  await expect(client.tokens.current.query()).rejects.toMatchObject({ data: { code: 'UNAUTHORIZED', httpStatus: 401 } })
})

test('revoking twice keeps the time of the first revocation', async () => {
  const user = await createUser(app)
  const client = app.client(await createTokenFor(app, { user }))
  const other = await client.tokens.create.mutate({ name: 'other', scopes: ['projects:read'] })
  const first = await client.tokens.revoke.mutate({ tokenId: other.id })
  expect(await client.tokens.revoke.mutate({ tokenId: other.id })).toEqual(first)
})

test('a token of another user and a missing token give the same error', async () => {
  const [client, stranger] = [app.client(await createTokenFor(app)), app.client(await createTokenFor(app))]
  const { id } = await stranger.tokens.current.query()
  const [foreign, random] = await Promise.all(
    [id, '01ARZ3NDEKTSV4RRFFQ69G5FAV'].map((tokenId) =>
      client.tokens.revoke.mutate({ tokenId }).catch((e: Error) => e.message),
    ),
  )
  expect(foreign).toBe(random)
  expect((await stranger.tokens.current.query()).revokedAt).toBeNull()
})

test('expired, unknown, malformed and empty tokens are refused with the same message', async () => {
  const expired = await createTokenFor(app, { expiresAt: new Date(Date.now() - 1) })
  const good = await createTokenFor(app)
  const bad = [expired, `svc_v1_${'A'.repeat(32)}_AAAA`, `${good}x`, good.toUpperCase().replace('SVC', 'svc'), 'svc_']
  const answers = await Promise.all(
    bad.map(async (token) => {
      const response = await app.fetch('/api/v1/projects', { token })
      expect(response.headers.get('www-authenticate')).toContain('invalid_token')
      return [response.status, await response.text()]
    }),
  )
  expect(new Set(answers.map(String)).size).toBe(1)
  expect(answers[0]?.[0]).toBe(401)
  expect(String(answers[0]?.[1])).toContain('"error":"Invalid token"')
})

test('the last use is stored at most once a minute', async () => {
  const client = app.client(await createTokenFor(app))
  const first = await client.tokens.current.query()
  expect(first.lastUsedAt).not.toBeNull()
  expect((await client.tokens.current.query()).lastUsedAt).toBe(first.lastUsedAt)
})

test('invalid input is refused with the name of the field', async () => {
  const client = app.client(await createTokenFor(app))
  const scopes = ['projects:read' as const]
  await expect(client.tokens.create.mutate({ name: '', scopes })).rejects.toThrow(/^name:/)
  await expect(client.tokens.create.mutate({ name: 'x', scopes: [] })).rejects.toThrow(/^scopes:/)
  await expect(client.tokens.create.mutate({ name: 'x', scopes, expiresInDays: 366 })).rejects.toThrow(
    /^expiresInDays:/,
  )
  await expect(client.tokens.create.mutate({ name: 'x', scopes, organizationId: 'o' })).rejects.toThrow(
    'No such organization',
  )
  await expect(client.tokens.create.mutate({ name: 'x', scopes, projectId: 'p' })).rejects.toThrow('No such project')
})
