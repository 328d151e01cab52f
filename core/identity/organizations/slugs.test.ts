import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../base/ids.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createOrganizationFor, createTokenFor, createUser } from '../../testing/factories.ts'
import { failure } from '../../testing/organization-scene.ts'
import { OrganizationEntity } from './entity.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

const slugs = () => newId(new Date()).toLowerCase()
const conflict = failure('CONFLICT')

/** Creates a user with a client. */
async function createCaller() {
  const user = await createUser(app)
  return { user, client: app.client(await createTokenFor(app, { user })) }
}

test.each(['abc', 'a-1', '123', 'a'.repeat(40), ' Upper-Case ', '\u00a0abd\u3000'])(
  'accepts the slug %j',
  async (slug) => {
    const { client } = await createCaller()
    const made = await client.organizations.create.mutate({ name: 'x', slug })
    expect(made.slug).toBe(slug.trim().toLowerCase())
  },
)

test.each([
  '',
  'ab',
  'a'.repeat(41),
  '-ab',
  'ab-',
  'a--b',
  'a_b',
  'a.b',
  'a b',
  'a/b',
  '../x',
  'ab\0',
  'ab\n-c',
  'straße',
  'café',
  'аbc',
  '\u212aelvin',
  'ﬁne',
  'a\u200bbc',
  'ａｂｃ',
  '١٢٣',
  'admin',
  'API',
  ' Settings ',
  'organizations',
  'trpc',
  'docs',
])('refuses the slug %j and names it, at creation and update', async (slug) => {
  const { user, client } = await createCaller()
  const refused = expect.objectContaining({
    message: expect.stringMatching(/^slug: /),
    data: expect.objectContaining({ code: 'BAD_REQUEST' }),
  })
  await expect(client.organizations.create.mutate({ name: 'x', slug })).rejects.toEqual(refused)
  const { id: organizationId } = await createOrganizationFor(app, { user })
  await expect(client.organizations.update.mutate({ organizationId, slug })).rejects.toEqual(refused)
})

test('of fifty parallel calls with the same slug in any case, one succeeds', async () => {
  const slug = slugs()
  const callers = await Promise.all(Array.from({ length: 5 }, () => createCaller()))
  const tries = await Promise.allSettled(
    callers.flatMap(({ client }) =>
      Array.from({ length: 10 }, (_, index) =>
        client.organizations.create.mutate({ name: 'x', slug: index % 2 === 0 ? slug : slug.toUpperCase() }),
      ),
    ),
  )
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const refused of tries.filter(({ status }) => status === 'rejected')) expect(refused).toEqual(conflict)
  expect(await app.dataSource.getRepository(OrganizationEntity).countBy({ slug })).toBe(1)
})

test('an update to a used slug is refused, and two organizations that swap slugs in parallel do not deadlock', async () => {
  const { user, client } = await createCaller()
  const [one, other] = [await createOrganizationFor(app, { user }), await createOrganizationFor(app, { user })]
  const take = (organizationId: string, slug: string) => client.organizations.update.mutate({ organizationId, slug })
  await expect(take(one.id, other.slug.toUpperCase())).rejects.toEqual(conflict.reason)
  const exchanged = await Promise.allSettled([take(one.id, other.slug), take(other.id, one.slug)])
  for (const result of exchanged) expect(result).toEqual(conflict)

  const free = slugs()
  const raced = await Promise.allSettled([take(one.id, free), take(other.id, free)])
  expect(raced.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect((await take(one.id, one.slug)).slug).toBe(one.slug)
})
