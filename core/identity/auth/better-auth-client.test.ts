import { createAuthClient } from 'better-auth/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { nextCookie } from '../../testing/browser.ts'
import { createSessionFor, createUser } from '../../testing/factories.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

const password = 'correct horse battery'

/** The client of better-auth, with a cookie jar like a browser's. */
function browser(cookie = '') {
  const jar = { cookie }
  const client = createAuthClient({
    baseURL: app.url,
    fetchOptions: {
      customFetchImpl: async (input, init) => {
        const headers = new Headers(init?.headers)
        if (jar.cookie) headers.set('cookie', jar.cookie)
        headers.set('origin', app.url)
        const response = await fetch(input, { ...init, headers })
        jar.cookie = nextCookie(response, jar.cookie)
        return response
      },
    },
  })
  return { client, jar }
}

interface Listed {
  sessions: { id: string; token: string; current: boolean }[]
}

/** The client returns our response, which contains the list in an object. */
function sessionsIn(data: unknown): Listed['sessions'] {
  if (typeof data === 'object' && data !== null && 'sessions' in data) return (data as Listed).sessions
  throw new Error(`no sessions in ${JSON.stringify(data)}`)
}

test('a user signs up, signs in, reads the session, and signs out', async () => {
  const { client, jar } = browser()
  const email = 'ada@example.com'
  const signedUp = await client.signUp.email({ name: 'Ada', email, password })
  expect(signedUp.error).toBeNull()
  const signedIn = await client.signIn.email({ email, password })
  expect(signedIn).toMatchObject({ data: { user: { email, name: 'Ada' } }, error: null })
  const { data } = await client.getSession()
  expect(data).toMatchObject({ user: { email }, session: { userId: data?.user.id } })
  const [, token = ''] = jar.cookie.split('=')
  expect(token).not.toBe('')
  expect(JSON.stringify([signedUp, signedIn, data])).not.toContain(token)

  expect(await client.signOut()).toMatchObject({ data: { success: true }, error: null })
  expect(jar.cookie).toBe('service.session_token=')
  expect((await client.getSession()).error).toMatchObject({ status: 401 })
})

test('a wrong password gives an error that the client understands, and no cookie', async () => {
  const { client, jar } = browser()
  const user = await createUser(app)
  const { data, error } = await client.signIn.email({ email: user.email, password })
  expect(data).toBeNull()
  expect(error).toMatchObject({ status: 401 })
  expect(jar.cookie).toBe('')
})

test('without a session, the client receives 401', async () => {
  const { client } = browser()
  expect((await client.getSession()).error).toMatchObject({ status: 401 })
  expect((await client.listSessions()).error).toMatchObject({ status: 401 })
})

test('the client reads and lists sessions, ends one by the token in the list, and then all others', async () => {
  const user = await createUser(app)
  const sessions = await Promise.all(Array.from({ length: 4 }, () => createSessionFor(app, user)))
  const [mine, ...others] = sessions.map(({ cookie }) => browser(cookie))
  if (!mine) throw new Error('there are four')
  expect((await mine.client.getSession()).data).toMatchObject({ user: { id: user.id } })

  const listed = sessionsIn((await mine.client.listSessions()).data)
  expect(listed.map(({ id }) => id).toSorted()).toEqual(sessions.map(({ sessionId }) => sessionId).toSorted())
  expect(listed.find(({ current }) => current)?.id).toBe(sessions[0]?.sessionId)
  const token = listed.find(({ id }) => id === sessions[1]?.sessionId)?.token ?? ''
  expect(await mine.client.revokeSession({ token })).toMatchObject({ data: { success: true }, error: null })
  const signedIn = async () => Promise.all(others.map(async ({ client }) => (await client.getSession()).data !== null))
  expect(await signedIn()).toEqual([false, true, true])

  expect(await mine.client.revokeOtherSessions()).toMatchObject({ error: null })
  expect(await signedIn()).toEqual([false, false, false])
  expect(sessionsIn((await mine.client.listSessions()).data)).toHaveLength(1)

  expect(await mine.client.signOut()).toMatchObject({ data: { success: true }, error: null })
  expect((await mine.client.getSession()).error).toMatchObject({ status: 401 })
})
