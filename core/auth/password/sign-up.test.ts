import { expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createUser } from '../../testing/factories.ts'

const password = 'correct horse battery'
const signUp = (app: TestApp, email: string) =>
  app.fetch('/api/auth/sign-up/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })

test('by invitation the first account is the only one, also of ten that come at once', async () => {
  await using app = await createTestApp({ signUp: 'invite' })
  const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => signUp(app, `first${index}@example.com`)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 403)])
  const [count] = await app.dataSource.query<{ users: number; jobs: number }[]>(
    `SELECT (SELECT count(*)::int FROM users) AS users, (SELECT count(*)::int FROM pgboss.job WHERE name = 'mail') AS jobs`,
  )
  expect(count).toEqual({ users: 1, jobs: 1 })
})

test('where nobody may sign up, known and unknown addresses hear the same', async () => {
  await using app = await createTestApp({ signUp: 'closed' })
  const { email } = await createUser(app)
  const [known, unknown] = await Promise.all([signUp(app, email), signUp(app, 'nobody@example.com')])
  expect([known.status, unknown.status]).toEqual([403, 403])
  expect(await known.json()).toEqual(await unknown.json())
})

test("nobody can sign up beforehand as the owner that a later local start or npm run owner takes for one's own", async () => {
  await using app = await createTestApp({ signUp: 'open' })
  expect((await signUp(app, 'Owner@localhost')).status).toBe(403)
})

test('by invitation, the owner of local mode is the first account, and the one that a command makes elsewhere is not', async () => {
  await using app = await createTestApp({ signUp: 'invite', local: true })
  await createUser(app, { email: 'owner@localhost' })
  expect((await signUp(app, 'first@example.com')).status).toBe(403)
  app.config.local = false
  expect((await signUp(app, 'first@example.com')).status).toBe(200)
  expect((await signUp(app, 'second@example.com')).status).toBe(403)
})
