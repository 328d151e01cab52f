import type { IncomingMessage } from 'node:http'
import { unavailable } from '../base/errors.ts'
import { bodyLimits, readBytes } from '../http/body.ts'

/** Larger deliveries are rare and have a separate limit, so that they do not block the others. */
const ordinary = 1_048_576

/** The bytes that this process holds at once, of ordinary and of larger deliveries. */
const max = { ordinary: 64 * ordinary, large: 100 * ordinary }
const held = { ordinary: 0, large: 0 }

/**
 * Reads the body of a delivery and passes it to `work`. The signature can be verified only after the body was read, so
 * that anyone can make this process hold bytes; their total is limited.
 *
 * @throws AppError 413; 503 if too many bytes are held already
 */
export async function holdingBody<T>(
  req: IncomingMessage,
  work: (body: Buffer) => Promise<T>,
  limit = bodyLimits.inbound,
): Promise<T> {
  const announced = Number(req.headers['content-length'] ?? limit)
  const size = Math.min(announced, limit)
  const kind = size > ordinary ? 'large' : 'ordinary'
  if (held[kind] + size > max[kind]) {
    throw unavailable('Too many deliveries are arriving at once. Send this one again in a minute.', 60)
  }
  held[kind] += size
  try {
    return await work(await readBytes(req, limit))
  } finally {
    held[kind] -= size
  }
}
