import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor } from '../testing/factories.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

let made = 0
const store = (projectId: string, deliveryId = `delivery-${++made}`) =>
  app.services.intake.store({
    source: 'project',
    projectId,
    deliveryId,
    event: 'push',
    action: null,
    body: Buffer.from('{}'),
    facts: {},
    ignored: null,
  })

test('a delivery that cannot be stored does not affect the others of its batch', async () => {
  const { id } = await createProjectFor(app)
  const projects = [id, id, 'no such project', id, id]
  const stored = await Promise.allSettled(projects.map((projectId) => store(projectId)))
  expect(stored.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
})

test('stores one of several copies in a batch, and recognizes copies in later batches', async () => {
  const { id } = await createProjectFor(app)
  const again = async () => {
    const stored = await Promise.all(['a', 'b', 'a', 'a'].map((deliveryId) => store(id, deliveryId)))
    return stored.filter(({ duplicate }) => !duplicate).length
  }
  expect([await again(), await again()]).toEqual([2, 0])
})

test('stores deliveries of other projects while a project is locked', async () => {
  const [locked, other] = [await createProjectFor(app), await createProjectFor(app)]
  const client = new pg.Client({ connectionString: app.config.databaseUrl })
  await client.connect()
  await client.query('BEGIN')
  await client.query('SELECT FROM projects WHERE id = $1 FOR UPDATE', [locked.id])
  const stored = await Promise.allSettled([store(locked.id), store(other.id)])
  expect(stored.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  await client.end()
  expect(await store(locked.id)).toEqual({ duplicate: false })
})
