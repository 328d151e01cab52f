import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../base/ids.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createUser } from '../testing/factories.ts'
import { cleanUpEvents, cleanUpWebhooks } from './clean-up.ts'
import { createWebhookFor } from './testing.ts'

const now = new Date('2026-11-20T12:00:00.000Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

const count = async (from: string, parameters: unknown[] = []) =>
  (await app.dataSource.query<[{ count: number }]>(`SELECT count(*)::int AS count FROM ${from}`, parameters))[0].count

test('purges a deleted webhook with its history after 30 days, and no other', async () => {
  const { id: userId } = await createUser(app)
  const create = async (deletedAt: Date | null, deliveries: number) => {
    const webhook = await createWebhookFor(app, { userId, deletedAt })
    const prefix = newId(now)
    await app.dataSource.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event, body, status, trigger, created_at)
       SELECT $1 || n, $2, 'project.updated', '{}', 'succeeded', 'scheduled', $4 FROM generate_series(1, $3::int) AS n`,
      [prefix, webhook.id, deliveries, daysAgo(90)],
    )
    await app.dataSource.query(
      `INSERT INTO webhook_attempts (delivery_id, number, trigger, started_at, duration_ms)
       SELECT id, 1, 'scheduled', created_at, 5 FROM webhook_deliveries WHERE webhook_id = $1`,
      [webhook.id],
    )
    return webhook.id
  }
  // More rows than one batch.
  const [long, without] = [await create(daysAgo(30.1), 6_000), await create(daysAgo(31), 0)]
  const kept = [await create(daysAgo(29.9), 2), await create(null, 3)]
  await cleanUpWebhooks(app.dataSource.manager, now)
  const left = await app.dataSource.query<{ id: string }[]>('SELECT id FROM webhooks')
  expect(left.map(({ id }) => id).toSorted()).toEqual(kept.toSorted())
  expect([long, without].some((id) => kept.includes(id))).toBe(false)
  expect([await count('webhook_deliveries'), await count('webhook_attempts')]).toEqual([5, 5])
})

test('purges events after 30 days', async () => {
  await app.dataSource.query(
    `INSERT INTO events (id, type, project_id, envelope, created_at)
     SELECT 'event-' || n, 'project.updated', 'p', '{}', CASE WHEN n <= 6000 THEN $1 ELSE $2 END::timestamptz
       FROM generate_series(1, 6003) AS n`,
    [daysAgo(30.1), daysAgo(29.9)],
  )
  await cleanUpEvents(app.dataSource.manager, now)
  expect(await count('events')).toBe(3)
})
