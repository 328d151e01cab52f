/** The upper bound: signs and sends with node:http over a new connection each, and stores nothing. */
import { createHmac } from 'node:crypto'
import { request } from 'node:http'

const inFlight = 64

process.on('message', (message: { url: string; bodies: string[] }) => void sendAll(message))

async function sendAll({ url, bodies }: { url: string; bodies: string[] }): Promise<void> {
  let next = 0
  const send = async (): Promise<void> => {
    for (let index = next++; index < bodies.length; index = next++) await post(url, bodies[index] ?? '', index)
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: inFlight }, send))
  process.send?.({ sentInMs: performance.now() - startedAt })
}
process.on('disconnect', () => process.exit(0))
process.send?.({ ready: true, port: 0 })

function post(url: string, body: string, index: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const signature = createHmac('sha256', process.env['BENCH_SECRET'] ?? '')
      .update(body)
      .digest('hex')
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'X-Svc-Signature': `sha256=${signature}`,
      'X-Svc-Delivery': String(index),
    }
    request(url, { method: 'POST', agent: false, headers }, (response) => {
      response.resume().on('end', resolve)
    })
      .on('error', reject)
      .end(body)
  })
}
