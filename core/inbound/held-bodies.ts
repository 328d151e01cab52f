import type { IncomingMessage } from 'node:http'
import { unavailable } from '../base/errors.ts'
import { bodyLimits, readBytes } from '../http/body.ts'

/** A delivery of more than that is rare, and must not keep the others out. */
const ordinary = 1_048_576

/** How many bytes this process holds at once, of ordinary deliveries and of larger ones. */
const most = { ordinary: 64 * ordinary, large: 100 * ordinary }
const held = { ordinary: 0, large: 0 }

/**
 * Reads the body of a delivery and works with it. Whether it is signed shows only when it is there, so that everybody
 * can have us hold some; how much that is at once is bounded.
 *
 * @throws AppError 413; 503 where too much is held already
 */
export async function holdingBody<T>(req: IncomingMessage, work: (body: Buffer) => Promise<T>): Promise<T> {
  const announced = Number(req.headers['content-length'] ?? bodyLimits.inbound)
  const size = Math.min(announced, bodyLimits.inbound)
  const kind = size > ordinary ? 'large' : 'ordinary'
  if (held[kind] + size > most[kind]) {
    throw unavailable('Too many deliveries are arriving at once. Send this one again in a minute.', 60)
  }
  held[kind] += size
  try {
    return await work(await readBytes(req, bodyLimits.inbound))
  } finally {
    held[kind] -= size
  }
}
