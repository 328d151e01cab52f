import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { AccountLinkEntity } from '../code-host/entity.ts'
import { UserEntity } from '../identity/users/entity.ts'
import { createTestApp, type TestApp } from './app.ts'
import { type OAuthHost, startOAuthHost } from './oauth-host.ts'
import type { Visit, Visitor } from './visitor.ts'

export let app: TestApp
export let host: OAuthHost
let clock = Date.now()
let accounts = 100

export const callback = '/api/auth/callback/code_host'

/** Starts the application and its code host for all tests of the calling file. */
export function useCodeHostScene(): void {
  beforeAll(async () => {
    host = await startOAuthHost()
    app = await createTestApp({ codeHost: host.config }, { now: () => new Date(clock) })
  })
  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    await host[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    clock = Date.now()
    host.faults = {}
    host.refusal = undefined
    host.redirectUri = undefined
    host.grantedScope = undefined
    signInAsNewUser()
    await app.dataSource.query('TRUNCATE rate_limits')
  })
}

/** Moves the application's clock until the end of the test. */
export function passTime(milliseconds: number): void {
  clock += milliseconds
}

/** Signs a new user in at the code host, whom the application does not know. */
export function signInAsNewUser(): void {
  const id = accounts++
  host.user = { id, login: `person${id}`, name: `Person ${id}`, avatar_url: `https://avatars.example.com/${id}` }
  host.emails = [{ email: `person${id}@example.com`, verified: true, primary: true }]
}

export const users = () => app.dataSource.getRepository(UserEntity)
export const links = () => app.dataSource.getRepository(AccountLinkEntity)

export async function countSessions(): Promise<number> {
  const [{ count }] = await app.dataSource.query('SELECT count(*)::int AS count FROM sessions')
  return count
}

/** Returns audit rows, newest first. */
export function audited(action: string): Promise<{ user_id: string | null; metadata: object }[]> {
  return app.dataSource.query('SELECT user_id, metadata FROM audit_logs WHERE action = $1 ORDER BY sequence DESC', [
    action,
  ])
}

/** Approves at the code host and returns the callback URL. */
export async function approved(visitor: Visitor, input?: object, path?: string): Promise<URL> {
  return new URL(await host.approve(await visitor.begin(input, path)))
}

/** Returns the session cookie that a response sets. */
export function sessionOf({ setCookies }: Visit): string | undefined {
  return setCookies.find((cookie) => cookie.startsWith('service.session_token='))
}

/** Asserts that the sign-in ended at the error page without a session. */
export function expectFailure(visit: Visit, error: string, at = `${app.url}/sign-in`): void {
  expect([visit.status, visit.location]).toEqual([302, `${at}?error=${error}`])
  expect(sessionOf(visit)).toBeUndefined()
}
