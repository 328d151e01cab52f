import type { PoolClient } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { copyRows } from './copy-rows.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

test('throws the original error to the caller, but hides it from Postgres', async () => {
  async function* rows() {
    yield [['1']]
    throw new Error('The report is not JSON: "sk-a-secret" at line 1')
  }
  let spied: { mock: { calls: unknown[][] } } | undefined
  const copying = app.dataSource.transaction(async (db) => {
    const client: PoolClient & { connection?: { sendCopyFail: (why: string) => void } } =
      await db.queryRunner?.connect()
    if (!client.connection) throw new Error('the driver has no connection')
    spied = vi.spyOn(client.connection, 'sendCopyFail')
    await db.query('CREATE TEMPORARY TABLE copied (a text)')
    await copyRows({ db, signal: new AbortController().signal }, 'copied (a)', rows())
  })
  await expect(copying).rejects.toThrow('sk-a-secret')
  expect(spied?.mock.calls).toEqual([['the rows could not be read']])
})
