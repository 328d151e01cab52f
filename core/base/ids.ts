import { randomFillSync } from 'node:crypto'
import { monotonicFactory } from 'ulid'

/** Asking the system for each random byte takes most of the time of an id. */
const bytes = new Uint8Array(4_096)
let used = bytes.length

/** Returns a random multiple of 1/256 that is less than 1. */
function random(): number {
  if (used === bytes.length) {
    randomFillSync(bytes)
    used = 0
  }
  return (bytes[used++] ?? 0) / 256
}

/** Returns a function that makes ULIDs, which sort in the order of their creation, also within a millisecond or when the clock goes back. */
export function ulidFactory(): (now: Date) => string {
  const next = monotonicFactory(random)
  return (now) => next(now.getTime())
}

/** Returns a new ULID. The ULIDs of one process sort in the order of their creation. */
export const newId = ulidFactory()
