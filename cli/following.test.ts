import { expect, test } from 'vitest'
import { coreFailure, createCoreClient } from '../client/core-client.ts'
import { createTestApp } from '../core/testing/app.ts'
import { createTokenFor } from '../core/testing/factories.ts'
import { askPatiently } from './following.ts'
import { startProxy } from './testing/proxy.ts'

test('a status call survives a lost connection, and not a refusal', async () => {
  await using app = await createTestApp()
  await using proxy = await startProxy(app.url)
  const { signal } = new AbortController()
  const core = createCoreClient({
    baseUrl: proxy.url,
    token: await createTokenFor(app),
    requestId: 'a-request',
    signal,
  })
  const said: string[] = []
  const context = { out: { milestone: (text: string) => void said.push(text) }, signal }

  const cut = proxy.untilAsked((asked) => asked.length === 1).then(proxy.cut)
  const [current] = await Promise.all([askPatiently(() => core.tokens.current.query(), context), cut])
  expect(current.scopes).toContain('tests:run')
  expect(said).toEqual(['The server does not answer. Retrying …'])

  const refused = askPatiently(() => core.changes.get.query({ changeId: 'none' }), context)
  const failure = coreFailure(await refused.catch((error: unknown) => error))
  expect(failure).toMatchObject({ kind: 'refused', code: 'NOT_FOUND' })
  expect(proxy.asked).toHaveLength(3)
})
