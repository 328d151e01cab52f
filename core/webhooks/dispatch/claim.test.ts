import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { breakerRules } from './breaker.ts'
import { claimDue } from './claim.ts'
import { addDeliveries, createDeliveries } from './testing/scene.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

const rules = { perEndpoint: 2, leaseMs: 1_000, breaker: breakerRules }

const shareOf = (id: string, maxClaims: number) => ({ endpoint: { id, owners: ['owner'] }, maxClaims })

test('distinguishes a missing webhook from one that another process is claiming from', async () => {
  const { webhook, ids } = await createDeliveries(app, { url: 'https://receiver.example.com' })
  const shares = [shareOf(webhook.id, 4), shareOf('gone', 4)]
  const now = new Date()
  await app.dataSource.transaction(async (other) => {
    await claimDue(other, [shareOf(webhook.id, 0)], now, rules)
    const [locked, missing] = await claimDue(app.dataSource.manager, shares, now, rules)
    expect(locked).toMatchObject({ claims: [], isFull: false })
    expect(locked?.dueAt?.getTime()).toBeGreaterThan(now.getTime())
    expect(missing).toMatchObject({ claims: [], isFull: false, dueAt: null })
  })
  const [claimed] = await claimDue(app.dataSource.manager, shares, now, rules)
  expect(claimed?.claims).toMatchObject([{ id: ids[0], webhook: { id: webhook.id }, endpoint: { owners: ['owner'] } }])
  expect(claimed).toMatchObject({ isFull: false, dueAt: null })
})

test('says when to claim again: at once after a share was used up, and otherwise when a delivery ends or is due', async () => {
  const db = app.dataSource.manager
  const { webhook } = await createDeliveries(app, { url: 'https://receiver.example.com', count: 3 })
  const now = new Date()
  const nextAttemptAt = new Date(now.getTime() + 60_000)
  await addDeliveries(app, webhook.id, { nextAttemptAt })
  const claim = async (maxClaims: number, limits = rules) => {
    const [claimed] = await claimDue(db, [shareOf(webhook.id, maxClaims)], now, limits)
    return { count: claimed?.claims.length, dueAt: claimed?.dueAt, isFull: claimed?.isFull }
  }
  expect(await claim(1)).toEqual({ count: 1, dueAt: now, isFull: false })
  expect(await claim(4)).toEqual({ count: 1, dueAt: nextAttemptAt, isFull: true })
  expect(await claim(4, { ...rules, perEndpoint: 4 })).toEqual({ count: 1, dueAt: nextAttemptAt, isFull: false })
})
