import { afterAll, beforeAll } from 'vitest'
import type { UserRow } from '../../identity/users/entity.ts'
import type { Config } from '../../config.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createPasswordFor, createProjectFor, createSessionFor, createTokenFor } from '../../testing/factories.ts'
import { operationOf } from './documented.ts'

export const password = 'quiet green horses'
/** With these each of the receivers is there. */
export const receivers: Partial<Config> = {
  inbound: { secret: 'secret of all', appSecret: 'secret of the app', legacySha1: false },
  billing: { secret: 'secret of billing', prices: { team: [], unlimited: [] } },
}
/** The application and a user of it, there while the tests of a file run; importing this file starts it. */
export let app: TestApp
export let user: UserRow
export let token: string
let cookie: string
export let projectId: string
let path: Record<string, string>
beforeAll(async () => {
  // Nothing takes up an analysis, so that they wait.
  app = await createTestApp({
    ...receivers,
    role: 'web',
    codeHost: {
      client: { id: 'client', secret: 'a secret of the client' },
      url: 'https://git.example.com',
      apiUrl: 'https://git.example.com/api/v3',
    },
  })
  user = await createPasswordFor(app, password)
  token = await createTokenFor(app, { user })
  ;({ cookie } = await createSessionFor(app, user))
  projectId = (await createProjectFor(app, { user, language: 'Go' })).id
  path = { id: projectId, projectId, runId: '-', testId: '00000000-0000-4000-8000-000000000000', name: 'report.txt' }
})
afterAll(() => app[Symbol.asyncDispose]())

export interface Call {
  /** For other values in the path, and for a query. */
  params?: Record<string, string>
  search?: string
  body?: unknown
  headers?: Record<string, string>
  as?: 'token' | 'session' | 'nobody'
}

/** Makes a call of an operation, by token unless told otherwise. */
export function send(
  on: TestApp,
  name: string,
  { params, search = '', body, headers, as = 'token' }: Call,
): Promise<Response> {
  const { method, path: template } = operationOf(name)
  const address = template.replace(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent({ ...path, ...params }[key] ?? ''),
  )
  return on.fetch(address + search, {
    method,
    redirect: 'manual',
    ...(as === 'token' ? { token } : {}),
    ...(as === 'session' ? { cookie } : {}),
    headers: {
      ...(method === 'POST' ? { 'content-type': 'application/json', origin: on.config.baseUrl } : {}),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
  })
}
