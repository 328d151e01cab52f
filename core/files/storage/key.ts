import { randomBytes } from 'node:crypto'

const pattern = /^[0-9a-f]{32}$/

/** A new name for an object: random, and the same on every file system. */
export function newStorageKey(): string {
  return randomBytes(16).toString('hex')
}

/** @throws for whatever could name something else than an object of ours */
export function requireStorageKey(key: string): string {
  if (!pattern.test(key)) throw new Error('This is no storage key.')
  return key
}
