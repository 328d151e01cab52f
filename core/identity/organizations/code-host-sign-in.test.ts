import { expect, test } from 'vitest'
import { app, approved, host, useCodeHostScene, users } from '../../testing/code-host-scene.ts'
import { createTokenFor, createUser } from '../../testing/factories.ts'
import { createOrganizationScene } from '../../testing/organization-scene.ts'
import { createVisitor } from '../../testing/visitor.ts'
import { MembershipEntity } from './entity.ts'

useCodeHostScene()

const address = () => `person${host.user.id}@example.com`

test('an invited user who signs in with the code host and a verified address becomes a member at once', async () => {
  const { organizationId, invite } = await createOrganizationScene(app)
  await invite(address(), 'admin')
  await createVisitor(app).signIn(host)
  const user = await users().findOneByOrFail({ email: address() })
  const client = app.client(await createTokenFor(app, { user }))
  expect(await client.organizations.list.query()).toMatchObject([{ id: organizationId, role: 'admin' }])
})

test('an unverified address of the code host accepts no invitation', async () => {
  const { invite, members } = await createOrganizationScene(app)
  await invite(address())
  host.emails = [{ email: address(), verified: false, primary: true }]
  await createVisitor(app).signIn(host)
  expect(await members()).toMatchObject([{ role: 'owner' }, { status: 'invited', userId: null }])
})

test('a user invited during the first sign-in always becomes a member', async () => {
  for (let round = 0; round < 5; round++) {
    const [one, other] = [await createOrganizationScene(app), await createOrganizationScene(app)]
    const email = `both${round}-${host.user.id}@example.com`
    host.user = { ...host.user, id: host.user.id + 1_000, login: `both${round}-${host.user.id}` }
    host.emails = [{ email, verified: true, primary: true }]
    await one.invite(email)
    const visitor = createVisitor(app)
    const back = await approved(visitor)
    await Promise.all([visitor.visit(back.pathname + back.search), other.invite(email)])
    const user = await users().findOneByOrFail({ email })
    expect(await app.dataSource.getRepository(MembershipEntity).countBy({ userId: user.id })).toBe(2)
  }
})

test('a sign-in does not wait for changes of the organizations', async () => {
  await createVisitor(app).signIn(host)
  const user = await users().findOneByOrFail({ email: address() })
  const { organizationId, client } = await createOrganizationScene(app)
  const { id: membershipId } = await client.organizations.inviteMember.mutate({
    organizationId,
    userToInviteEmail: (await createUser(app)).email,
    role: 'viewer',
  })
  const visitor = createVisitor(app)
  const back = await approved(visitor)
  const [visit] = await Promise.all([
    visitor.visit(back.pathname + back.search),
    client.organizations.inviteMember.mutate({ organizationId, userToInviteEmail: user.email, role: 'viewer' }),
    client.organizations.updateMemberRole.mutate({ organizationId, membershipId, role: 'admin' }),
  ])
  expect(visit.location).toBe(`${app.url}/`)
})
