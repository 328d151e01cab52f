import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { breakerRules } from './breaker.ts'
import { claimDue } from './claim.ts'
import { createDeliveries } from './testing/scene.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

const rules = { perEndpoint: 16, maxRequested: 18, leaseMs: 1_000, breaker: breakerRules }

test('distinguishes a missing webhook from one that another process is claiming from', async () => {
  const { webhook, ids } = await createDeliveries(app, { url: 'https://receiver.example.com' })
  const shares = new Map([
    [webhook.id, 4],
    ['gone', 4],
  ])
  await app.dataSource.transaction(async (other) => {
    await claimDue(other, new Map([[webhook.id, 0]]), new Date(), rules)
    const claimed = await claimDue(app.dataSource.manager, shares, new Date(), rules)
    expect(claimed).toEqual({ claims: [], endpoints: [], locked: [webhook.id] })
  })
  const { claims, endpoints, locked } = await claimDue(app.dataSource.manager, shares, new Date(), rules)
  expect(claims.map(({ id }) => id)).toEqual(ids)
  expect(endpoints).toMatchObject([{ id: webhook.id, capacity: 16, busy: 0, taken: 1 }])
  expect(locked).toEqual([])
})
