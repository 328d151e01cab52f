import { afterAll, beforeAll, expect, test } from 'vitest'
import { UserEntity, type UserRow } from '../users/entity.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import {
  createOrganizationFor,
  createProjectFor,
  createSessionFor,
  createTokenFor,
  createUser,
} from '../../testing/factories.ts'
import { recordAudit } from './record.ts'
import { auditContext } from './testing.ts'
import { verifyAuditLog } from './verify.ts'

let app: TestApp
let clock = Date.now()
beforeAll(async () => void (app = await createTestApp({}, { now: () => new Date(clock) })))
afterAll(() => app[Symbol.asyncDispose]())

async function recordsOf(userId: string) {
  return app.dataSource.query<{ action: string; metadata: Record<string, unknown>; ip_address: string }[]>(
    'SELECT action, metadata, ip_address FROM audit_logs WHERE user_id = $1 ORDER BY sequence',
    [userId],
  )
}

test('lists the events of the own account, newest first, and none of others', async () => {
  const [user, other] = [await createUser(app), await createUser(app)]
  for (const number of [1, 2, 3]) {
    await recordAudit(auditContext(app), 'login', user.id, { number })
    await recordAudit(auditContext(app), 'login', other.id, { number })
  }
  const client = app.client(await createTokenFor(app, { user }))
  const rows = await client.auth.getAuditLogs.query({ limit: 10, offset: 0 })
  expect(rows.map(({ metadata }) => metadata?.['number'])).toEqual([3, 2, 1])
  expect(rows[0]).toEqual({
    id: expect.any(String),
    userId: user.id,
    userName: user.name,
    userEmail: user.email,
    action: 'login',
    ipAddress: '192.0.2.7',
    userAgent: 'A browser',
    metadata: { number: 3 },
    createdAt: new Date(clock).toISOString(),
  })
  const second = await client.auth.getAuditLogs.query({ limit: 1, offset: 1 })
  expect(second.map(({ metadata }) => metadata?.['number'])).toEqual([2])
  expect(await client.auth.getAuditLogs.query({ offset: 3 })).toEqual([])
})

test('lists 20 rows by default and at most 100', async () => {
  const user = await createUser(app)
  for (let number = 1; number <= 101; number++) await recordAudit(auditContext(app), 'login', user.id)
  const client = app.client(await createTokenFor(app, { user }))
  expect(await client.auth.getAuditLogs.query()).toHaveLength(20)
  expect(await client.auth.getAuditLogs.query({})).toHaveLength(20)
  expect(await client.auth.getAuditLogs.query({ limit: 100 })).toHaveLength(100)
})

test.each([
  [{ limit: 0 }, 'limit'],
  [{ limit: 101 }, 'limit'],
  [{ limit: 1.5 }, 'limit'],
  [{ limit: '5' }, 'limit'],
  [{ limit: null }, 'limit'],
  [{ offset: -1 }, 'offset'],
  [{ offset: 'x' }, 'offset'],
  [{ offset: 1e300 }, 'offset'],
  [{ actions: [] }, 'actions'],
  [{ actions: ['nothing'] }, 'actions'],
  [{ since: 'yesterday' }, 'since'],
  [{ until: 5 }, 'until'],
  [{ before: 'none' }, 'before'],
  ['all', ''],
])('refuses %j', async (input, field) => {
  const token = await createTokenFor(app)
  const query = encodeURIComponent(JSON.stringify(input))
  const response = await app.fetch(`/trpc/auth.getAuditLogs?input=${query}`, { token })
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(field)])
})

test('requires a session, or a token with audit:read', async () => {
  expect((await app.fetch('/trpc/auth.getAuditLogs')).status).toBe(401)
  const without = await createTokenFor(app, { scopes: ['profile:read', 'org:admin'] })
  expect((await app.fetch('/trpc/auth.getAuditLogs', { token: without })).status).toBe(403)
  const withScope = await createTokenFor(app, { scopes: ['audit:read'] })
  expect((await app.fetch('/trpc/auth.getAuditLogs', { token: withScope })).status).toBe(200)
  const { cookie } = await createSessionFor(app)
  expect((await app.fetch('/trpc/auth.getAuditLogs', { cookie })).status).toBe(200)
})

test('keeps the rows of a deleted account', async () => {
  const user = await createUser(app)
  await createSessionFor(app, user)
  await app.dataSource.getRepository(UserEntity).delete({ id: user.id })
  expect(await recordsOf(user.id)).toMatchObject([{ action: 'login' }])
  expect((await verifyAuditLog(app.dataSource, app.config.secretKey)).broken).toBeUndefined()
})

test('records the use of an expired token once a minute', async () => {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user, expiresAt: new Date(clock + 1_000) })
  clock += 1_000
  const present = (headers = {}) => app.fetch('/trpc/tokens.current', { token, headers })
  const answers = await Promise.all(Array.from({ length: 20 }, () => present()))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 401))
  const [{ id: tokenId } = { id: '' }] = await app.dataSource.query<{ id: string }[]>(
    'SELECT id FROM api_tokens WHERE user_id = $1',
    [user.id],
  )
  const row = {
    action: 'failed_auth',
    metadata: { method: 'token', tokenId, reason: 'expired' },
    ip_address: '127.0.0.1',
  }
  expect(await recordsOf(user.id)).toEqual([row])

  clock += 59_000
  await present()
  expect(await recordsOf(user.id)).toHaveLength(1)
  clock += 1_000
  await Promise.all([present(), present()])
  expect(await recordsOf(user.id)).toEqual([row, row])
})

test('records the use of a revoked token over REST and RPC', async () => {
  const user = await createUser(app)
  const client = app.client(await createTokenFor(app, { user }))
  const { token, id } = await client.tokens.create.mutate({ name: 'gone', scopes: ['projects:read'] })
  await client.tokens.revoke.mutate({ tokenId: id })
  const response = await app.fetch('/api/v1/projects', { token })
  expect(response.status).toBe(401)
  expect(await recordsOf(user.id)).toMatchObject([
    { action: 'token_created', metadata: { tokenId: id } },
    { action: 'token_revoked', metadata: { tokenId: id } },
    { action: 'failed_auth', metadata: { method: 'token', tokenId: id, reason: 'revoked' } },
  ])
  expect(JSON.stringify(await recordsOf(user.id))).not.toContain(token.slice(8, 30))
})

test('records unknown and malformed tokens in one row per client address', async () => {
  const guessed = () =>
    app.dataSource.query<object[]>(
      `SELECT action, metadata, host(ip_address::inet) AS address FROM audit_logs
        WHERE user_id IS NULL AND metadata ->> 'method' = 'token' ORDER BY sequence`,
    )
  const good = await createTokenFor(app)
  for (const token of [`${good}x`, `svc_v1_${'A'.repeat(32)}_AAAA`, 'svc_']) {
    expect((await app.fetch('/api/v1/projects', { token })).status).toBe(401)
  }
  expect(await guessed()).toEqual([])
  await app.services.guessedTokens.flush()
  const row = {
    action: 'failed_auth',
    metadata: { method: 'token', reason: 'unknown', count: 3 },
    address: '127.0.0.1',
  }
  expect(await guessed()).toEqual([row])
  await app.services.guessedTokens.flush()
  expect(await guessed()).toEqual([row])
})

test('affected users see an action without the address of the actor, and administrators see every row', async () => {
  const [owner, member, stranger] = [await createUser(app), await createUser(app), await createUser(app)]
  const organization = await createOrganizationFor(app, { user: owner })
  const organizationId = organization.id
  const clientOf = async (user: UserRow) => app.client(await createTokenFor(app, { user }))
  const logsOf = async (user: UserRow) => (await clientOf(user)).auth.getAuditLogs.query({ limit: 100 })
  const admin = await clientOf(owner)
  const invited = await admin.organizations.inviteMember.mutate({
    organizationId,
    userToInviteEmail: member.email,
    role: 'member',
  })
  await admin.organizations.updateMemberRole.mutate({ organizationId, membershipId: invited.id, role: 'viewer' })

  const seen = (await logsOf(member)).map(({ action, userId, ipAddress, userAgent }) => [
    action,
    userId,
    ipAddress,
    userAgent,
  ])
  expect(seen).toEqual([
    ['member_role_changed', owner.id, null, null],
    ['member_added', owner.id, null, null],
  ])
  const actions = ['member_role_changed', 'member_added', 'member_invited']
  const own = (await logsOf(owner)).filter(({ action }) => actions.includes(action))
  expect(own.map(({ action, ipAddress }) => [action, ipAddress])).toEqual(
    actions.map((action) => [action, '127.0.0.1']),
  )
  expect(await logsOf(stranger)).toEqual([])

  // A member who becomes an administrator reads all rows of the organization, with addresses.
  await admin.organizations.updateMemberRole.mutate({ organizationId, membershipId: invited.id, role: 'admin' })
  const all = await logsOf(member)
  expect(all.map(({ action, ipAddress }) => [action, ipAddress])).toEqual(
    expect.arrayContaining([
      ['member_role_changed', '127.0.0.1'],
      ['member_invited', '127.0.0.1'],
    ]),
  )
  expect((await (await clientOf(member)).auth.getAuditLogs.query({ limit: 1, offset: 1 }))[0]).toEqual(all[1])
})

test('filters by action, organization, actor and time', async () => {
  const [user, other] = [await createUser(app), await createUser(app)]
  const { id: organizationId } = await createOrganizationFor(app, { user })
  const start = clock
  const record = async (action: 'login' | 'member_added', by: UserRow, metadata: Record<string, unknown>) => {
    clock += 1_000
    await recordAudit(auditContext(app), action, by.id, metadata)
  }
  await record('login', user, { number: 1 })
  await record('member_added', user, { organizationId, number: 2 })
  await record('member_added', other, { organizationId, number: 3 })
  await record('login', other, { number: 4 })
  const client = app.client(await createTokenFor(app, { user }))
  const numbers = async (input: object) =>
    (await client.auth.getAuditLogs.query(input)).map(({ metadata }) => metadata?.['number'])
  const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString()
  expect(await numbers({})).toEqual([3, 2, 1])
  expect(await numbers({ actions: ['login'] })).toEqual([1])
  expect(await numbers({ actions: ['login', 'member_added'], limit: 2 })).toEqual([3, 2])
  expect(await numbers({ organizationId })).toEqual([3, 2])
  expect(await numbers({ organizationId: "' OR true" })).toEqual([])
  expect(await numbers({ userId: other.id })).toEqual([3])
  expect(await numbers({ since: at(2) })).toEqual([3, 2])
  expect(await numbers({ since: at(2), until: at(3) })).toEqual([2])
  expect(await numbers({ until: at(1) })).toEqual([])
  expect(await numbers({ organizationId, offset: 1 })).toEqual([2])
  // Filters show nothing of others.
  const stranger = app.client(await createTokenFor(app))
  expect(await stranger.auth.getAuditLogs.query({ organizationId, userId: user.id })).toEqual([])
})

test('exports everything page by page, although rows are added meanwhile', async () => {
  const user = await createUser(app)
  for (let number = 1; number <= 25; number++) await recordAudit(auditContext(app), 'login', user.id, { number })
  const client = app.client(await createTokenFor(app, { user }))
  const seen: unknown[] = []
  let before: string | undefined
  for (;;) {
    const rows = await client.auth.getAuditLogs.query({ limit: 10, before })
    if (rows.length === 0) break
    seen.push(...rows.map(({ metadata }) => metadata?.['number']))
    before = rows.at(-1)?.id
    await recordAudit(auditContext(app), 'login', user.id, { number: 'later' })
  }
  expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => 25 - index))
  // A row of another user is like no row.
  const stranger = app.client(await createTokenFor(app))
  await expect(stranger.auth.getAuditLogs.query({ before })).rejects.toThrow('before: is not the id of a row')
})

test('names the actor to administrators and to members of the same organization only', async () => {
  const [owner, member] = [await createUser(app), await createUser(app)]
  const { id: organizationId } = await createOrganizationFor(app, { user: owner })
  const [admin, theirs] = [
    app.client(await createTokenFor(app, { user: owner })),
    app.client(await createTokenFor(app, { user: member })),
  ]
  const { id: membershipId } = await admin.organizations.inviteMember.mutate({
    organizationId,
    userToInviteEmail: member.email,
    role: 'member',
  })
  const [latest] = await theirs.auth.getAuditLogs.query({ limit: 1 })
  expect(latest).toMatchObject({
    action: 'member_added',
    userName: owner.name,
    userEmail: owner.email,
    ipAddress: null,
  })
  await admin.organizations.removeMember.mutate({ organizationId, membershipId })
  for (const row of await theirs.auth.getAuditLogs.query()) {
    expect(row).toMatchObject({ userId: owner.id, userName: null, userEmail: null })
  }
  expect(await admin.auth.getAuditLogs.query({ limit: 1 })).toMatchObject([
    { action: 'member_removed', userEmail: owner.email },
  ])
})

test('records a change of secret variables by their names, in the same transaction', async () => {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  const client = app.client(await createTokenFor(app, { user }))
  const change = (settings: Parameters<typeof client.projects.updateProjectSettings.mutate>[0]['settings']) =>
    client.projects.updateProjectSettings.mutate({ projectId, settings })
  await change({ environment: { DEPLOY_KEY: 'hunter2-one', API_KEY: 'hunter2-two' } })
  await change({ environment: { API_KEY: null, NEVER_THERE: null, DEPLOY_KEY: 'hunter2-three' } })
  await change({ environment: { NEVER_THERE: null } })
  await change({ environment: {} })
  await change({ timeoutSeconds: 60 })
  const tooMany = Object.fromEntries(Array.from({ length: 101 }, (_, number) => [`V${number}`, 'x']))
  await expect(change({ environment: tooMany })).rejects.toThrow('at most 100')
  const records = await recordsOf(user.id)
  expect(records.map(({ action, metadata }) => [action, metadata])).toEqual([
    ['project_secrets_changed', { organizationId: null, projectId, set: ['API_KEY', 'DEPLOY_KEY'], removed: [] }],
    ['project_secrets_changed', { organizationId: null, projectId, set: ['DEPLOY_KEY'], removed: ['API_KEY'] }],
  ])
  const everything = await app.dataSource.query('SELECT * FROM audit_logs')
  expect(JSON.stringify(everything) + app.logLines.join('')).not.toContain('hunter2')
})

test('records the tokens of a deleted project as revoked', async () => {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  await createTokenFor(app, { user, projectId })
  const client = app.client(await createTokenFor(app, { user }))
  await client.projects.deleteProject.mutate({ projectId })
  expect(await recordsOf(user.id)).toMatchObject([
    { action: 'token_revoked', metadata: { name: 'Test', reason: 'project_deleted' } },
  ])
})
