import { monotonicFactory } from 'ulid'

const nextId = monotonicFactory()

/** Returns a new ULID. ULIDs of one process sort in the order of their creation, also within a millisecond. */
export function newId(now: Date): string {
  return nextId(now.getTime())
}
