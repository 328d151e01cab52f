/** Receives deliveries in a separate process, and reports when each arrived. `/fails-once` and `/hangs` do as they say. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Arrival {
  id: string
  attempt: number
  /** Milliseconds since 1970, with fractions. */
  at: number
}

let arrivals: Arrival[] = []
let expected = Number.POSITIVE_INFINITY
let briefly = false

const server = createServer((req, res) => {
  const at = performance.timeOrigin + performance.now()
  const attempt = Number(req.headers['x-svc-delivery-attempt'] ?? 1)
  req.resume().on('end', () => {
    if (req.url?.startsWith('/hangs')) return
    arrivals.push({ id: String(req.headers['x-svc-delivery']), attempt, at })
    res.writeHead(req.url?.startsWith('/fails-once') && attempt === 1 ? 503 : 200).end()
    if (arrivals.length >= expected) reply()
  })
})
server.listen(0, '127.0.0.1', 4_096, () => {
  process.send?.({ ready: true, port: (server.address() as AddressInfo).port })
})

function reply(): void {
  expected = Number.POSITIVE_INFINITY
  process.send?.(briefly ? {} : { arrivals })
}

// The parent sends the number of deliveries to wait for. The receiver replies with them when they have arrived, or
// immediately with the deliveries so far if the number is 0. In brief mode the reply is empty.
process.on('message', (message: { expect: number; briefly?: boolean }) => {
  briefly = message.briefly === true
  if (message.expect === 0) return reply()
  arrivals = []
  expected = message.expect
})
process.on('disconnect', () => process.exit(0))
