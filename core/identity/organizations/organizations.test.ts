import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../base/ids.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createTokenFor,
  createUser,
} from '../../testing/factories.ts'
import { auditedOf } from '../../testing/organization-scene.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

const slugs = () => newId(new Date()).toLowerCase()

/** Creates a user with a client. */
async function createCaller() {
  const user = await createUser(app)
  return { user, client: app.client(await createTokenFor(app, { user })) }
}

test('the owner creates, finds, changes and deletes an organization', async () => {
  const { user, client } = await createCaller()
  const slug = slugs()
  const made = await client.organizations.create.mutate({ name: ' Shop ', slug: ` ${slug.toUpperCase()} ` })
  expect(made).toMatchObject({ name: 'Shop', slug, description: null, role: 'owner' })
  expect(await client.organizations.list.query()).toEqual([made])
  expect(await client.organizations.getBySlug.query({ slug: ` ${slug.toUpperCase()}` })).toEqual(made)
  const members = await client.organizations.getMembers.query({ organizationId: made.id })
  expect(members).toMatchObject([{ userId: user.id, email: user.email, role: 'owner', status: 'active' }])

  const renamed = slugs()
  const change = { organizationId: made.id, slug: renamed, description: 'Sells' }
  const changed = await client.organizations.update.mutate(change)
  expect(changed).toMatchObject({ name: 'Shop', slug: renamed, description: 'Sells', role: 'owner' })
  expect(await client.organizations.update.mutate({ organizationId: made.id, description: null })).toMatchObject({
    slug: renamed,
    description: null,
  })
  await expect(client.organizations.getBySlug.query({ slug })).rejects.toThrow('No such organization')

  const { message } = await client.organizations.delete.mutate({ organizationId: made.id })
  expect(message).toBe('Organization Shop is deleted, with 0 projects.')
  expect(await client.organizations.list.query()).toEqual([])
  expect((await auditedOf(app, made.id)).map(({ action, user_id }) => [action, user_id])).toEqual([
    ['organization_created', user.id],
    ['member_removed', user.id],
    ['organization_deleted', user.id],
  ])
  expect(await client.organizations.create.mutate({ name: 'Again', slug: renamed })).toMatchObject({ slug: renamed })
})

test('a user owns at most 50 organizations, also with parallel calls', async () => {
  const { user, client } = await createCaller()
  for (let count = 0; count < 48; count++) await createOrganizationFor(app, { user })
  const tries = await Promise.allSettled(
    Array.from({ length: 6 }, () => client.organizations.create.mutate({ name: 'x', slug: slugs() })),
  )
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect(await client.organizations.list.query()).toHaveLength(50)
})

test('projects belong to the organization, not to the user who created them', async () => {
  const { user, client } = await createCaller()
  const { id: organizationId } = await createOrganizationFor(app, { user })
  const maker = await createUser(app)
  const membership = await createMembershipFor(app, { organizationId, user: maker })
  const makerToken = await createTokenFor(app, { user: maker })
  const repository = 'https://127.0.0.1:9/a/project.git'
  const input = { name: 'Shared', repository, branch: 'main', organizationId }
  const project = await app.client(makerToken).projects.createProject.mutate(input)
  expect(project).toMatchObject({ organizationId, userId: maker.id })
  const personal = await createProjectFor(app, { user })

  expect((await client.projects.getProjects.query()).map(({ id }) => id)).toEqual([personal.id, project.id])
  expect(await client.projects.getProjects.query({ organizationId })).toEqual([project])
  const listed = async (query: string, token: string) => (await app.fetch(`/api/v1/projects${query}`, { token })).json()
  const filter = `?organizationId=${organizationId}`
  expect(await listed(filter, makerToken)).toMatchObject({ projects: [{ id: project.id }], pagination: { total: 1 } })

  await client.organizations.removeMember.mutate({ organizationId, membershipId: membership.id })
  await expect(app.client(makerToken).projects.getProject.query({ projectId: project.id })).rejects.toThrow(
    'No such project',
  )
  expect(await listed('', makerToken)).toMatchObject({ projects: [], pagination: { total: 0 } })
  expect(await listed(filter, makerToken)).toMatchObject({ projects: [], pagination: { total: 0 } })
  expect(await client.projects.getProject.query({ projectId: project.id })).toMatchObject({ userId: maker.id })
})

test('pending analyses count for the organization, not for the user who created its projects', async () => {
  const { user, client } = await createCaller()
  const { id: organizationId } = await createOrganizationFor(app, { user })
  const start = (projectId: string, branch: string) => client.analysis.startAnalysis.mutate({ projectId, branch })
  for (let count = 0; count < 4; count++) {
    const { id } = await createProjectFor(app, { user, organizationId })
    for (const branch of ['a', 'b', 'c', 'd', 'e']) await start(id, branch)
  }
  const another = await createProjectFor(app, { organizationId })
  await expect(start(another.id, 'a')).rejects.toThrow('The projects of this organization have 20 analyses queued')
  const personal = await createProjectFor(app, { user })
  expect(await start(personal.id, 'a')).toMatchObject({ status: 'pending' })
})

test('deleting an organization deletes its projects, analyses and tokens, and nothing else', async () => {
  const { user, client } = await createCaller()
  const { id: organizationId, slug } = await createOrganizationFor(app, { user })
  const member = await createUser(app)
  const { id: membershipId } = await createMembershipFor(app, { organizationId, user: member })
  await client.organizations.inviteMember.mutate({
    organizationId,
    userToInviteEmail: `${slug}@example.com`,
    role: 'viewer',
  })
  const project = await createProjectFor(app, { organizationId, user: member })
  const kept = await createProjectFor(app, { user })
  const { id: analysisId } = await client.analysis.startAnalysis.mutate({ projectId: project.id })
  const own = app.client(await createTokenFor(app, { user: member }))
  const scopes = ['projects:read', 'org:read'] as const
  const ofOrganization = await own.tokens.create.mutate({ name: 'o', scopes: [...scopes], organizationId })
  const ofProject = await own.tokens.create.mutate({ name: 'p', scopes: [...scopes], projectId: project.id })

  await client.organizations.delete.mutate({ organizationId })
  for (const { token } of [ofOrganization, ofProject]) {
    expect((await app.fetch('/api/v1/projects', { token })).status).toBe(401)
  }
  await expect(client.analysis.getAnalysis.query({ analysisId })).rejects.toThrow('No such analysis')
  expect((await client.projects.getProjects.query()).map(({ id }) => id)).toEqual([kept.id])
  expect((await own.tokens.list.query()).map(({ name }) => name)).toEqual(['Test'])
  const left = await app.dataSource.query(
    `SELECT (SELECT count(*) FROM memberships WHERE organization_id = $1) AS memberships,
            (SELECT count(*) FROM invitations WHERE organization_id = $1) AS invitations,
            (SELECT count(*) FROM analyses WHERE id = $2) AS analyses`,
    [organizationId, analysisId],
  )
  expect(left).toEqual([{ memberships: '0', invitations: '0', analyses: '0' }])

  const ended = await own.auth.getAuditLogs.query({ limit: 3 })
  const common = { organizationId, affectedUserId: member.id, reason: 'organization_deleted' }
  expect(ended.map(({ action, metadata }) => [action, metadata])).toEqual([
    ['member_removed', { ...common, membershipId, role: 'member', by: user.id }],
    ['token_revoked', { ...common, tokenId: ofProject.id, name: 'p' }],
    ['token_revoked', { ...common, tokenId: ofOrganization.id, name: 'o' }],
  ])
})

test('a deletion without an audit row is rolled back', async () => {
  const { user, client } = await createCaller()
  const { id: organizationId } = await createOrganizationFor(app, { user })
  const project = await createProjectFor(app, { user, organizationId })
  await app.dataSource.query(
    "ALTER TABLE unchained_audit_logs ADD CONSTRAINT refuses CHECK (action <> 'organization_deleted') NOT VALID",
  )
  try {
    await expect(client.organizations.delete.mutate({ organizationId })).rejects.toThrow(
      'Assay failed to process this call',
    )
  } finally {
    await app.dataSource.query('ALTER TABLE unchained_audit_logs DROP CONSTRAINT refuses')
  }
  expect(await client.projects.getProject.query({ projectId: project.id })).toMatchObject({ organizationId })
  expect(await client.organizations.getMembers.query({ organizationId })).toHaveLength(1)
})

test('creating in an organization that is being deleted either completes before or gives 404', async () => {
  for (let round = 0; round < 5; round++) {
    const { user, client } = await createCaller()
    const { id: organizationId } = await createOrganizationFor(app, { user })
    const project = await createProjectFor(app, { user, organizationId })
    const create = (name: string) =>
      client.projects.createProject.mutate({
        name,
        repository: 'https://127.0.0.1:9/a',
        branch: 'main',
        organizationId,
      })
    const results = await Promise.allSettled([
      create('a'),
      create('b'),
      create('c'),
      client.tokens.create.mutate({ name: 'o', scopes: ['projects:read'], organizationId }),
      client.tokens.create.mutate({ name: 'p', scopes: ['projects:read'], projectId: project.id }),
      client.analysis.startAnalysis.mutate({ projectId: project.id }),
      client.organizations.inviteMember.mutate({
        organizationId,
        userToInviteEmail: `${organizationId}@example.com`,
        role: 'member',
      }),
      client.projects.updateProject.mutate({ projectId: project.id, name: 'b' }),
      client.organizations.delete.mutate({ organizationId }),
    ])
    expect(results.at(-1)?.status).toBe('fulfilled')
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ data: { code: 'NOT_FOUND' } })
    }
    expect(await client.projects.getProjects.query()).toEqual([])
    const live = await client.tokens.list.query()
    expect(live.map(({ name }) => name)).toEqual(['Test'])
  }
})
