import { monotonicFactory } from 'ulid'

const nextId = monotonicFactory()

/** A new ULID. Those that one process makes sort in the order in which they were made, also within a millisecond. */
export function newId(now: Date): string {
  return nextId(now.getTime())
}
