import { randomBytes } from 'node:crypto'

const pattern = /^[0-9a-f]{32}$/

/** Returns a random key that is valid on every file system. */
export function newStorageKey(): string {
  return randomBytes(16).toString('hex')
}

/** @throws for text that is not a key, since it could point outside of the storage */
export function requireStorageKey(key: string): string {
  if (!pattern.test(key)) throw new Error('The storage key is malformed.')
  return key
}
