import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { createTestApp } from './testing/app.ts'
import { freePort } from './testing/free-port.ts'

async function occupy(host: string, port = 0) {
  const server = createServer().listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

test('in local mode, listens on both loopback addresses', async () => {
  const port = await freePort()
  await using app = await createTestApp({ port })
  for (const host of ['127.0.0.1', '[::1]']) {
    expect(await (await fetch(`http://${host}:${port}/health`)).json()).toEqual({ ok: true })
  }
  expect(app.url).toBe(`http://127.0.0.1:${port}`)
})

test('does not start if another program uses the IPv6 loopback port', async () => {
  await using other = await occupy('::1')
  await expect(createTestApp({ port: other.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
