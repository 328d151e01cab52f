// A webhook receiver in Node without dependencies. Run it: WEBHOOK_SECRET=whsec_... PORT=8080 node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

const toleranceSeconds = 300
// A delivery has at most 256 KiB.
const maxBytes = 300_000

/** Returns whether the delivery was signed recently with your secret. `body` must be the unchanged bytes. */
export function isGenuine(secret, headers, body, now = Date.now()) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (!id || !signatures || !/^\d{1,12}$/.test(timestamp ?? '')) return false
  if (Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  // During a rotation of the secret there are two signatures. One of them must match.
  return signatures.split(' ').some((signature) => {
    const [version, base64 = ''] = signature.split(',')
    const given = Buffer.from(base64, 'base64')
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

const secret = process.env.WEBHOOK_SECRET ?? ''

/** A delivery can arrive twice. Store the ids in your database, in the transaction that does the work. */
const seen = new Set()

async function receive(request) {
  if (Number(request.headers['content-length']) > maxBytes) return 413
  const chunks = []
  let length = 0
  // Keeps the connection open for the response.
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
  // If the work takes longer than a few seconds, respond first.
  return 204
}

const server = createServer((request, response) => {
  void receive(request)
    .catch(() => 400) // The body is incomplete or not JSON.
    .then((status) => response.writeHead(status, { connection: 'close' }).end())
})
// Listens only when run as a program, so that other modules can import isGenuine.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, key = ''] = /^whsec_(.{32,})$/.exec(secret) ?? []
  if (key === '' || Buffer.from(key, 'base64').toString('base64') !== key) {
    process.stderr.write('Set WEBHOOK_SECRET to the secret that webhooks.create returned.\n')
    process.exit(1)
  }
  server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
    process.stdout.write(`listening on ${server.address().port}\n`)
  })
}
