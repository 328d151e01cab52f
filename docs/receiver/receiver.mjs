// A receiver of webhooks in plain Node. Try it: WEBHOOK_SECRET=whsec_... PORT=8080 node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

const toleranceSeconds = 300
// Deliveries have at most 256 KiB.
const maxBytes = 300_000

/** Whether a delivery was signed with your secret, just now. `body` is what arrived, byte for byte. */
export function isGenuine(secret, headers, body, now = Date.now()) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (!id || !signatures || !/^\d{1,12}$/.test(timestamp ?? '')) return false
  if (Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  // While the secret is being replaced there are two: one of them must be good.
  return signatures.split(' ').some((signature) => {
    const [version, base64 = ''] = signature.split(',')
    const given = Buffer.from(base64, 'base64')
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

const secret = process.env.WEBHOOK_SECRET ?? ''

/** Yours goes into the database, in the transaction that does the work: a delivery may come twice. */
const seen = new Set()

async function receive(request) {
  if (Number(request.headers['content-length']) > maxBytes) return 413
  const chunks = []
  let length = 0
  // Left open, so that there is somebody to answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length
    if (length > maxBytes) return 413
    chunks.push(chunk)
  }
  const body = Buffer.concat(chunks)
  if (!isGenuine(secret, request.headers, body)) return 401
  const delivery = JSON.parse(body.toString())
  if (typeof delivery?.id !== 'string') return 400
  if (!seen.has(delivery.id)) {
    seen.add(delivery.id)
    process.stdout.write(`${delivery.event} ${delivery.id}\n`)
  }
  // Answer first and work afterwards, if that takes longer than some seconds.
  return 204
}

const server = createServer((request, response) => {
  void receive(request)
    .catch(() => 400) // It broke off in the middle, or is no JSON.
    .then((status) => response.writeHead(status, { connection: 'close' }).end())
})
// Only as a program: who imports it wants isGenuine.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, key = ''] = /^whsec_(.{32,})$/.exec(secret) ?? []
  if (key === '' || Buffer.from(key, 'base64').toString('base64') !== key) {
    process.stderr.write('Set WEBHOOK_SECRET to what webhooks.create answered.\n')
    process.exit(1)
  }
  server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
    process.stdout.write(`listening on ${server.address().port}\n`)
  })
}
