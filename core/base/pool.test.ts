import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { poolOf } from './pool.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

test('a connection that breaks between two queries of its user does not end the process', async () => {
  const pool = poolOf(app.dataSource)
  const client = await pool.connect()
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  // Not `once` of node:events, which would listen for errors itself.
  const ended = new Promise((resolve) => void client.once('end', resolve))
  await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
  await ended
  await expect(client.query('SELECT 1')).rejects.toThrow()
  client.release()

  const pids = await Promise.all(
    Array.from({ length: 4 }, () => pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')),
  )
  expect(pids.map((result) => result.rows[0]?.pid)).not.toContain(rows[0]?.pid)
})
