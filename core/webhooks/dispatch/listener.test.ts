import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createUser } from '../../testing/factories.ts'
import { newId } from '../../base/ids.ts'
import { notifyDispatchers } from '../notify.ts'
import { createWebhookFor } from '../testing.ts'
import type { Endpoint } from './due-endpoints.ts'
import { startListener } from './listener.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

test('delivers the owners of a webhook, and listens again after its connection was cut', async () => {
  const { id: userId } = await createUser(app)
  const organizationId = newId(new Date())
  const { id } = await createWebhookFor(app, { userId, organizationId })
  const heard: Endpoint[][] = []
  const { databaseUrl } = app.config
  const { log } = app.services
  await using _ = startListener({ databaseUrl, log, onNotification: (endpoints) => void heard.push(endpoints) })
  await expect.poll(() => heard).toEqual([[]])
  await app.dataSource.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'assay-webhooks'`,
  )
  await expect.poll(() => heard).toEqual([[], []])
  await notifyDispatchers(app.dataSource.manager, id)
  await expect.poll(() => heard).toEqual([[], [], [{ id, owners: [organizationId, userId] }]])
})
