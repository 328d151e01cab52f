import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../base/ids.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createMembershipFor, createOrganizationFor, createProjectFor } from '../../testing/factories.ts'
import { auditedOf, createOrganizationScene, newAddress, times } from '../../testing/organization-scene.ts'
import { MembershipEntity } from './entity.ts'
import type { Role } from './schema.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

test('of two owners who leave or demote each other in parallel, one stays', async () => {
  for (let round = 0; round < 4; round++) {
    const { organizationId, owner, client, join, members } = await createOrganizationScene(app)
    const second = await join('owner')
    const own = (await members()).find(({ userId }) => userId === owner.id)?.id ?? ''
    const ids = {
      own: { organizationId, membershipId: own },
      second: { organizationId, membershipId: second.membershipId },
    }
    const results = await Promise.allSettled(
      times(5).flatMap(() => [
        client.organizations.removeMember.mutate(round % 2 ? ids.own : ids.second),
        second.client.organizations.updateMemberRole.mutate({ ...(round < 2 ? ids.own : ids.second), role: 'viewer' }),
      ]),
    )
    expect(results.some(({ status }) => status === 'fulfilled')).toBe(true)
    for (const result of results.filter(({ status }) => status === 'rejected')) {
      expect(['CONFLICT', 'FORBIDDEN', 'NOT_FOUND']).toContain((result as PromiseRejectedResult).reason.data?.code)
    }
    const owners = await app.dataSource.getRepository(MembershipEntity).countBy({ organizationId, role: 'owner' })
    expect(owners).toBe(1)
  }
})

test('the last owner can neither leave nor be demoted, and an invited owner does not count', async () => {
  const { organizationId, client, invite, join, members } = await createOrganizationScene(app)
  await invite(newAddress(), 'owner')
  await join('admin')
  const membershipId = (await members()).find(({ role, status }) => role === 'owner' && status === 'active')?.id ?? ''
  const last = { organizationId, membershipId }
  await expect(client.organizations.removeMember.mutate(last)).rejects.toThrow('last owner')
  await expect(client.organizations.updateMemberRole.mutate({ ...last, role: 'admin' })).rejects.toThrow('last owner')
  expect(await client.organizations.updateMemberRole.mutate({ ...last, role: 'owner' })).toMatchObject({
    role: 'owner',
  })
  await join('owner')
  expect(await client.organizations.removeMember.mutate(last)).toEqual({ message: expect.any(String) })
  await expect(members()).rejects.toThrow('No such organization')
})

test('only owners can change and withdraw the invitation of an owner', async () => {
  const { organizationId, client, invite, join } = await createOrganizationScene(app)
  const admin = await join('admin')
  const { id: membershipId } = await invite(newAddress(), 'owner')
  const ref = { organizationId, membershipId }
  await expect(admin.client.organizations.removeMember.mutate(ref)).rejects.toThrow('Only an owner')
  await expect(admin.client.organizations.updateMemberRole.mutate({ ...ref, role: 'viewer' })).rejects.toThrow(
    'Only an owner',
  )
  expect(await client.organizations.updateMemberRole.mutate({ ...ref, role: 'viewer' })).toMatchObject({
    role: 'viewer',
    status: 'invited',
  })
  expect(await admin.client.organizations.removeMember.mutate(ref)).toEqual({ message: expect.any(String) })
})

test('every change of a role is in the audit log with its actor, and an update without a change is not', async () => {
  const { organizationId, owner, client, join } = await createOrganizationScene(app)
  const { user, membershipId, client: own } = await join('viewer')
  const set = (role: Role) => client.organizations.updateMemberRole.mutate({ organizationId, membershipId, role })
  await set('member')
  await set('member')
  await own.organizations.removeMember.mutate({ organizationId, membershipId })
  const common = { organizationId, membershipId, affectedUserId: user.id }
  expect(await auditedOf(app, organizationId)).toEqual([
    {
      action: 'member_role_changed',
      user_id: owner.id,
      metadata: { ...common, from: 'viewer', to: 'member', by: owner.id },
    },
    {
      action: 'member_removed',
      user_id: user.id,
      metadata: { ...common, email: user.email, role: 'member', by: user.id },
    },
  ])
})

test('tokens always have the current role of their user', async () => {
  const { organizationId, client, join } = await createOrganizationScene(app)
  const { user, membershipId, client: own } = await join('admin')
  const { id: projectId } = await createProjectFor(app, { organizationId })
  const scopes = ['projects:read' as const, 'projects:write' as const, 'org:read' as const, 'tokens:manage' as const]
  const made = await Promise.all([
    own.tokens.create.mutate({ name: 'organization', scopes, organizationId }),
    own.tokens.create.mutate({ name: 'project', scopes, projectId }),
    own.tokens.create.mutate({ name: 'both', scopes, organizationId, projectId }),
  ])
  const clients = [own, ...made.map(({ token }) => app.client(token))]
  const set = (role: Role) => client.organizations.updateMemberRole.mutate({ organizationId, membershipId, role })
  const change = (index: number) =>
    clients[index]?.projects.updateProjectSettings.mutate({ projectId, settings: { timeoutSeconds: 100 + index } })

  for (const index of clients.keys()) expect(await change(index)).toMatchObject({ timeoutSeconds: 100 + index })
  await set('member')
  for (const index of clients.keys()) await expect(change(index)).rejects.toThrow('requires the role admin')
  await set('viewer')
  for (const one of clients) {
    await expect(one.projects.updateProject.mutate({ projectId, name: 'x' })).rejects.toThrow(
      'requires the role member',
    )
    expect(await one.projects.getProject.query({ projectId })).toMatchObject({ id: projectId })
  }
  await client.organizations.removeMember.mutate({ organizationId, membershipId })
  for (const one of clients) {
    await expect(one.projects.getProject.query({ projectId })).rejects.toThrow('No such project')
    await expect(one.organizations.getMembers.query({ organizationId })).rejects.toThrow('No such organization')
    expect(await one.projects.getProjects.query()).toEqual([])
  }
  await expect(own.tokens.create.mutate({ name: 'x', scopes, organizationId })).rejects.toThrow('No such organization')
  await createMembershipFor(app, { organizationId, user, role: 'admin' })
  expect(await change(1)).toMatchObject({ timeoutSeconds: 101 })
})

test('a token restricted to an organization sees no other one, and creates only tokens with the same restriction', async () => {
  const { organizationId, owner, client } = await createOrganizationScene(app)
  const other = await createOrganizationFor(app, { user: owner })
  const project = await createProjectFor(app, { organizationId })
  const foreign = [
    await createProjectFor(app, { user: owner }),
    await createProjectFor(app, { organizationId: other.id }),
  ]
  const scopes = ['projects:read', 'projects:write', 'org:read', 'org:admin', 'tokens:manage'] as const
  const { token } = await client.tokens.create.mutate({ name: 'o', scopes: [...scopes], organizationId })
  const confined = app.client(token)
  expect((await confined.organizations.list.query()).map(({ id }) => id)).toEqual([organizationId])
  expect((await confined.projects.getProjects.query()).map(({ id }) => id)).toEqual([project.id])
  expect(await confined.projects.getProjects.query({ organizationId: other.id })).toEqual([])
  for (const { id } of foreign) {
    await expect(confined.projects.getProject.query({ projectId: id })).rejects.toThrow('No such project')
  }
  await expect(confined.organizations.getBySlug.query({ slug: other.slug })).rejects.toThrow('No such organization')
  await expect(confined.organizations.create.mutate({ name: 'x', slug: 'somewhere-else' })).rejects.toThrow(
    'restricted',
  )
  const repository = { name: 'x', repository: 'https://127.0.0.1:9/a', branch: 'main' }
  expect(await confined.projects.createProject.mutate(repository)).toMatchObject({ organizationId })
  await expect(confined.projects.createProject.mutate({ ...repository, organizationId: other.id })).rejects.toThrow(
    'restricted to another organization',
  )
  const made = await confined.projects.createProject.mutate({ ...repository, organizationId })
  expect(made.organizationId).toBe(organizationId)
  const read = { name: 'x', scopes: ['projects:read' as const, 'tokens:manage' as const] }
  await expect(confined.tokens.create.mutate({ ...read, organizationId: other.id })).rejects.toThrow(
    'restricted to another',
  )
  expect(await confined.tokens.create.mutate(read)).toMatchObject({ organizationId })
  const narrow = await confined.tokens.create.mutate({ ...read, organizationId, projectId: project.id })
  const narrower = app.client(narrow.token)
  expect((await narrower.projects.getProjects.query()).map(({ id }) => id)).toEqual([project.id])
  expect(await narrower.organizations.list.query().catch((error: Error) => error.message)).toContain('org:read')
  expect(await narrower.tokens.create.mutate({ ...read, organizationId, projectId: project.id })).toMatchObject({
    organizationId,
    projectId: project.id,
  })
  expect((await confined.tokens.list.query()).map(({ organizationId: of }) => of)).toEqual(
    times(4).map(() => organizationId),
  )
})

test('a member of another organization and a missing member give the same error', async () => {
  const { client, organizationId } = await createOrganizationScene(app)
  const { membershipId } = await (await createOrganizationScene(app)).join('member')
  const tries = [membershipId, newId(new Date())].map((id) =>
    client.organizations.removeMember
      .mutate({ organizationId, membershipId: id })
      .catch((error: Error) => error.message),
  )
  expect(await Promise.all(tries)).toEqual(times(2).map(() => expect.stringContaining('No such member')))
})
