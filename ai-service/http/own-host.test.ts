import { type IncomingMessage, request } from 'node:http'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServedAiService, serve } from '../testing/serve.ts'

let service: ServedAiService
beforeAll(async () => {
  service = await serve()
})
afterAll(() => service.close())

/** `fetch` does not send another Host header than that of the address. */
async function statusFor(host: string, path: string): Promise<number | undefined> {
  const sent = request({ host: '127.0.0.1', port: service.port, path, setHost: false, headers: { Host: host } })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

test.each(['localhost', 'LOCALHOST:8000', '127.0.0.1:8000', '127.9.9.9', '[::1]:8000'])(
  'answers requests to %s',
  async (host) => {
    expect(await statusFor(host, '/provider')).toBe(200)
  },
)

test.each([
  'rebound.example.com',
  'rebound.example.com:8000',
  'localhost.example.com',
  '127.0.0.1.example.com',
  '192.168.1.4',
  '[2001:db8::1]',
  'localhost@example.com',
  '127.1',
  'a'.repeat(5_000),
])('rejects requests to the host %s, whatever the route', async (host) => {
  for (const path of ['/provider', '/health', '/']) expect(await statusFor(host, path)).toBe(400)
})
