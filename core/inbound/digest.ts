import { type Hash, type Hmac } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'

const bytesPerStep = 1_048_576

/** Computes the digest of a delivery. Lets other work of this process go on while it reads a large one. */
export async function digestOf(hash: Hash | Hmac, body: Buffer): Promise<Buffer> {
  for (let start = 0; start < body.length; start += bytesPerStep) {
    if (start > 0) await setImmediate()
    hash.update(body.subarray(start, start + bytesPerStep))
  }
  return hash.digest()
}
