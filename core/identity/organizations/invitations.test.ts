import { afterAll, beforeAll, expect, test } from 'vitest'
import { UserEntity } from '../users/entity.ts'
import { issueOneTimeToken, type Purpose } from '../users/one-time-token.ts'
import { newId } from '../../base/ids.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createPasswordFor, createTokenFor, createUser } from '../../testing/factories.ts'
import { createMailServer, type MailServer } from '../../testing/mail-server.ts'
import { auditedOf, createOrganizationScene, failure, newAddress, times } from '../../testing/organization-scene.ts'
import { InvitationEntity, MembershipEntity } from './entity.ts'

let app: TestApp
let mail: MailServer
beforeAll(async () => {
  mail = await createMailServer()
  app = await createTestApp({ signUp: 'invite', mail: { smtpUrl: mail.url, from: 'Assay <no-reply@example.com>' } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})

const statuses = (results: PromiseSettledResult<unknown>[]) => results.map(({ status }) => status).toSorted()

const password = 'quiet green horses'

/** Verifies the address with the link of a mail, as the user who created the account. */
async function prove(userId: string, purpose: Purpose): Promise<Response> {
  const { token } = await issueOneTimeToken(app.dataSource.manager, purpose, userId, new Date())
  const verifying = purpose === 'verify_email'
  return app.fetch(verifying ? '/api/auth/verify-email' : '/api/auth/reset-password', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(verifying ? { token, password } : { token, newPassword: password }),
  })
}

test('a user with a verified address becomes a member at once, with a mail and audit rows for both sides', async () => {
  const { organizationId, owner, invite } = await createOrganizationScene(app)
  const user = await createUser(app)
  const member = await invite(`  ${user.email.toUpperCase()} `, 'viewer')
  expect(member).toMatchObject({ organizationId, userId: user.id, email: user.email, role: 'viewer', status: 'active' })
  const client = app.client(await createTokenFor(app, { user }))
  expect(await client.organizations.list.query()).toMatchObject([{ id: organizationId, role: 'viewer' }])
  const { headers, body } = await mail.take(user.email)
  expect(headers).toContainEqual(['subject', 'You are now a member of an organization'])
  expect(body).toContain(app.config.baseUrl)
  const details = { organizationId, membershipId: member.id, email: user.email, role: 'viewer', by: owner.id }
  expect(await auditedOf(app, organizationId)).toEqual([
    { action: 'member_invited', user_id: owner.id, metadata: details },
    { action: 'member_added', user_id: owner.id, metadata: { ...details, affectedUserId: user.id } },
  ])
})

test('an invited person may sign up, and becomes a member when the address is verified', async () => {
  const { organizationId, invite, members } = await createOrganizationScene(app)
  const email = newAddress()
  const invited = await invite(email, 'admin')
  expect(invited).toMatchObject({ userId: null, email, name: null, role: 'admin', status: 'invited' })
  const { headers, body } = await mail.take(email)
  expect(headers).toContainEqual(['subject', 'You are invited to an organization'])
  expect(body).toContain(`${app.config.baseUrl}/sign-up`)

  const signUp = await app.fetch('/api/auth/sign-up/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, name: 'New' }),
  })
  expect(signUp.status).toBe(200)
  const user = await app.dataSource.getRepository(UserEntity).findOneByOrFail({ email })
  const client = app.client(await createTokenFor(app, { user }))
  expect(await client.organizations.list.query()).toEqual([])
  expect(await members()).toMatchObject([{ role: 'owner' }, { id: invited.id, userId: null, status: 'invited' }])

  const { token } = await mail.take(email)
  const verified = await app.fetch('/api/auth/verify-email', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password }),
  })
  expect(verified.status).toBe(200)
  expect(await client.organizations.list.query()).toMatchObject([{ id: organizationId, role: 'admin' }])
  expect(await members()).toMatchObject([
    { role: 'owner' },
    { id: invited.id, userId: user.id, name: 'New', role: 'admin', status: 'active' },
  ])
  expect((await auditedOf(app, organizationId)).at(-1)).toMatchObject({ action: 'member_added', user_id: user.id })
})

test('an invitation is valid only for its address', async () => {
  const { invite, members } = await createOrganizationScene(app)
  const name = newId(new Date()).toLowerCase()
  await invite(`${name}@example.com`)
  for (const email of [`${name}@example.org`, `${name}+a@example.com`, `x${name}@example.com`]) {
    const user = await createPasswordFor(app, password, await createUser(app, { email, emailVerified: false }))
    expect((await prove(user.id, 'verify_email')).status).toBe(200)
  }
  expect(await members()).toMatchObject([{ status: 'active' }, { status: 'invited' }])
})

test('a withdrawn invitation has no effect, sends no mail, and closes sign-up again', async () => {
  const { organizationId, client, invite } = await createOrganizationScene(app)
  const user = await createPasswordFor(app, password, await createUser(app, { emailVerified: false }))
  const { id: membershipId } = await invite(user.email)
  await client.organizations.removeMember.mutate({ organizationId, membershipId })
  await prove(user.id, 'verify_email')
  expect(await app.client(await createTokenFor(app, { user })).organizations.list.query()).toEqual([])

  const email = newAddress()
  const invited = await invite(email)
  await client.organizations.removeMember.mutate({ organizationId, membershipId: invited.id })
  const response = await app.fetch('/api/auth/sign-up/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'quiet green horses' }),
  })
  expect(response.status).toBe(403)
})

test('rejects invalid addresses, members and invited addresses with different messages', async () => {
  const { owner, invite } = await createOrganizationScene(app)
  for (const bad of ['nobody', 'a@b@c.example', 'a@example.com\r\nBcc: b@example.com', 'A B <a@example.com>']) {
    await expect(invite(bad)).rejects.toThrow(/^userToInviteEmail: must be an e-mail address/)
  }
  await expect(invite(owner.email.toUpperCase())).rejects.toThrow(`${owner.email} is already a member.`)
  const email = newAddress()
  await invite(email)
  await expect(invite(email.toUpperCase())).rejects.toThrow(`${email} is already invited.`)
})

test('of ten parallel invitations of one address, one succeeds, with or without an account', async () => {
  for (const email of [newAddress(), (await createUser(app)).email]) {
    const { invite, members } = await createOrganizationScene(app)
    const results = await Promise.allSettled(times(10).map(() => invite(email)))
    expect(statuses(results)).toEqual(['fulfilled', ...times(9).map(() => 'rejected')])
    for (const result of results.filter(({ status }) => status === 'rejected'))
      expect(result).toEqual(failure('CONFLICT'))
    expect((await members()).filter((member) => member.email === email)).toHaveLength(1)
  }
})

test('a mailbox gets at most ten invitations an hour, and refused ones do not count', async () => {
  const email = newAddress()
  const scenes = await Promise.all(times(11).map(() => createOrganizationScene(app)))
  for (const { invite } of scenes.slice(0, 9)) {
    await invite(email)
    await expect(invite(email)).rejects.toThrow('already')
  }
  await scenes[9]?.invite(email)
  await expect(scenes[10]?.invite(email)).rejects.toMatchObject({ data: { code: 'RATE_LIMITED' } })
})

test.each(['verify_email', 'reset_password'] as const)(
  'a user invited during the verification of the address (%s) always becomes a member',
  async (purpose) => {
    for (let round = 0; round < 10; round++) {
      const [one, other] = [await createOrganizationScene(app), await createOrganizationScene(app)]
      const user = await createPasswordFor(app, password, await createUser(app, { emailVerified: false }))
      await one.invite(user.email)
      const [proven, invited] = await Promise.all([prove(user.id, purpose), other.invite(user.email, 'viewer')])
      expect([proven.status, invited.email]).toEqual([200, user.email])
      for (const { organizationId } of [one, other]) {
        const memberships = app.dataSource.getRepository(MembershipEntity)
        expect(await memberships.countBy({ organizationId, userId: user.id })).toBe(1)
        expect(await app.dataSource.getRepository(InvitationEntity).countBy({ organizationId })).toBe(0)
      }
    }
  },
)

test('accepting an invitation in parallel with a change, withdrawal or deletion gives a consistent result', async () => {
  for (let round = 0; round < 10; round++) {
    const scenes = await Promise.all([
      createOrganizationScene(app),
      createOrganizationScene(app),
      createOrganizationScene(app),
    ])
    const [changing, removing, deleting] = scenes
    const user = await createPasswordFor(app, password, await createUser(app, { emailVerified: false }))
    const ids = await Promise.all(scenes.map(async ({ invite }) => (await invite(user.email)).id))
    const at = (index: number) => ({
      organizationId: scenes[index]?.organizationId ?? '',
      membershipId: ids[index] ?? '',
    })
    const results = await Promise.allSettled([
      changing.client.organizations.updateMemberRole.mutate({ ...at(0), role: 'admin' }),
      removing.client.organizations.removeMember.mutate(at(1)),
      deleting.client.organizations.delete.mutate({ organizationId: deleting.organizationId }),
      prove(user.id, 'verify_email').then(({ status }) => expect(status).toBe(200)),
    ])
    expect(statuses(results)).toEqual(times(4).map(() => 'fulfilled'))
    expect(await changing.members()).toMatchObject([
      { role: 'owner' },
      { userId: user.id, role: 'admin', status: 'active' },
    ])
    expect(await removing.members()).toHaveLength(1)
    expect(await app.client(await createTokenFor(app, { user })).organizations.list.query()).toHaveLength(1)
  }
})

test('a member leaves, and the last owner is told what to do first', async () => {
  const { organizationId, owner, invite, members } = await createOrganizationScene(app)
  const user = await createUser(app)
  const member = await invite(user.email, 'member')
  const client = app.client(await createTokenFor(app, { user }))
  expect(await client.organizations.leave.mutate({ organizationId })).toEqual({
    message: expect.stringContaining('You are no longer a member of '),
  })
  expect(await members()).toMatchObject([{ userId: owner.id }])
  expect((await auditedOf(app, organizationId)).at(-1)).toMatchObject({
    action: 'member_removed',
    user_id: user.id,
    metadata: { membershipId: member.id, email: user.email, by: user.id },
  })
  // The organization does not exist for a user who left it.
  await expect(client.organizations.leave.mutate({ organizationId })).rejects.toThrow('No such organization.')
  const last = app.client(await createTokenFor(app, { user: owner }))
  await expect(last.organizations.leave.mutate({ organizationId })).rejects.toThrow(
    'This is the last owner. Make another member an owner first, or delete the organization.',
  )
})

test('of two owners who leave at the same time, one stays', async () => {
  const { organizationId, owner, invite } = await createOrganizationScene(app)
  const user = await createUser(app)
  await invite(user.email, 'owner')
  const clients = [
    app.client(await createTokenFor(app, { user })),
    app.client(await createTokenFor(app, { user: owner })),
  ]
  const results = await Promise.allSettled(
    clients.map((client) => client.organizations.leave.mutate({ organizationId })),
  )
  expect(statuses(results)).toEqual(['fulfilled', 'rejected'])
})

test('an invitation is sent again and revoked, with audit rows', async () => {
  const { organizationId, owner, invite, members } = await createOrganizationScene(app)
  const client = app.client(await createTokenFor(app, { user: owner }))
  const email = newAddress()
  const { id: invitationId } = await invite(email, 'viewer')
  await mail.take(email)
  expect(await client.organizations.resendInvitation.mutate({ organizationId, invitationId })).toMatchObject({
    id: invitationId,
    email,
    status: 'invited',
  })
  expect((await mail.take(email)).headers).toContainEqual(['subject', 'You are invited to an organization'])
  expect(await client.organizations.revokeInvitation.mutate({ organizationId, invitationId })).toEqual({
    message: `${email} is no longer invited.`,
  })
  expect(await members()).toHaveLength(1)
  const by = { organizationId, membershipId: invitationId, email, role: 'viewer', by: owner.id }
  expect((await auditedOf(app, organizationId)).slice(-2)).toEqual([
    { action: 'member_invited', user_id: owner.id, metadata: { ...by, again: true } },
    { action: 'member_removed', user_id: owner.id, metadata: by },
  ])
  for (const call of ['resendInvitation', 'revokeInvitation'] as const) {
    await expect(client.organizations[call].mutate({ organizationId, invitationId })).rejects.toThrow(
      'No such invitation.',
    )
  }
  // A member is no invitation.
  const { id } = await invite((await createUser(app)).email, 'viewer')
  await expect(client.organizations.revokeInvitation.mutate({ organizationId, invitationId: id })).rejects.toThrow(
    'No such invitation.',
  )
})

test('sending an invitation again counts for the limit of the address', async () => {
  const { organizationId, owner, invite } = await createOrganizationScene(app)
  const client = app.client(await createTokenFor(app, { user: owner }))
  const { id: invitationId } = await invite(newAddress(), 'viewer')
  const resend = () => client.organizations.resendInvitation.mutate({ organizationId, invitationId })
  const results = []
  for (let sent = 1; sent <= 10; sent++) results.push(...(await Promise.allSettled([resend()])))
  expect(results.at(-1)).toEqual(failure('RATE_LIMITED'))
})
