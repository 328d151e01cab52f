import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCoreClient } from '../client/core-client.ts'
import { findMuted } from './muted-tests.ts'

let server: Server
beforeAll(async () => {
  server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('a server that does not answer costs only the names of muted tests', async () => {
  const { port } = server.address() as AddressInfo
  const core = createCoreClient({
    baseUrl: `http://127.0.0.1:${port}`,
    token: 'none',
    requestId: 'a',
    signal: new AbortController().signal,
  })
  expect(await findMuted(core, { runId: 'a', mutedTests: 1 }, AbortSignal.timeout(100))).toBeNull()
})
