import { expect, test } from 'vitest'
import { createTestApp } from '../../testing/app.ts'
import { browse } from '../../testing/browser.ts'
import { createSessionFor } from '../../testing/factories.ts'
import { SessionEntity } from './entity.ts'

test('twenty tabs on two processes stay signed in, and rotate once per interval', async () => {
  const interval = 2_000
  const sessions = { rotationIntervalMs: interval, rotationGraceMs: interval, absoluteMs: 86_400_000, idleMs: 0 }
  await using app = await createTestApp({ sessions, logLevel: 'silent' })
  await using other = await createTestApp({ sessions, logLevel: 'silent', databaseUrl: app.config.databaseUrl })
  const { cookie, sessionId } = await createSessionFor(app)

  const requests = 2_000
  const { statuses, handedOut } = await browse({
    urls: [app.url, other.url],
    cookie,
    tabs: 20,
    requests,
    maxLatencyMs: 150,
  })
  // A busy machine may refuse some requests as overloaded, which signs nobody out.
  const { 503: refused = 0, ...answered } = statuses
  expect(answered).toEqual({ 200: requests - refused })
  const row = await app.dataSource.getRepository(SessionEntity).findOneByOrFail({ id: sessionId })
  expect(row.revokedAt).toBeNull()
  expect(row.generation).toBeGreaterThanOrEqual(2)
  expect(row.generation).toBeLessThanOrEqual(Math.floor((Date.now() - row.createdAt.getTime()) / interval))
  // Tabs with the previous token received the new one too.
  expect(handedOut).toBeGreaterThan(row.generation)
})
