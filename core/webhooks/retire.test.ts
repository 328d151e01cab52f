import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createUser } from '../testing/factories.ts'
import { newId } from '../base/ids.ts'
import { createWebhookFor } from './testing.ts'
import { retireWebhooks } from './retire.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

test('locks webhooks in the same order as the dispatchers, so that they never deadlock', async () => {
  const { id: userId } = await createUser(app)
  const projectId = newId(new Date())
  const [first, second] = [newId(new Date(1_000)), newId(new Date(2_000))]
  // The table contains them in reverse order.
  for (const id of [second, first]) await createWebhookFor(app, { id, userId, projectId })
  const lock = (id: string) => ['SELECT FROM webhooks WHERE id = $1 FOR NO KEY UPDATE NOWAIT', [id]] as const
  let retiring: Promise<void> | undefined
  await app.dataSource.transaction(async (delivering) => {
    await delivering.query(...lock(first))
    retiring = app.dataSource.transaction((tx) =>
      retireWebhooks({ db: tx, now: () => new Date() }, { projectIds: [projectId] }),
    )
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    await expect.poll(async () => (await app.dataSource.query<unknown[]>(waiting)).length).toBe(1)
    await delivering.query(...lock(second))
  })
  await retiring
})
