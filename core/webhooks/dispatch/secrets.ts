import { decrypt } from '../../base/crypto.ts'
import { secretPlace } from '../secret.ts'
import type { Endpoint } from './claim.ts'

const maxKept = 10_000

export type Secrets = { current: string; previous: string | null }

/** Decrypts the signing secrets of endpoints and caches them by ciphertext, which never repeats. */
export function createSecretReader(secretKey: string) {
  const kept = new Map<string, string>()

  const read = (webhookId: string, encrypted: string): string => {
    const known = kept.get(encrypted)
    if (known !== undefined) return known
    const secret = decrypt(secretKey, secretPlace(webhookId), encrypted)
    if (kept.size >= maxKept) kept.clear()
    kept.set(encrypted, secret)
    return secret
  }

  return ({ id, secret, previousSecret, previousSecretUntil }: Endpoint, at: Date): Secrets => ({
    current: read(id, secret),
    previous:
      previousSecret !== null && previousSecretUntil !== null && previousSecretUntil > at
        ? read(id, previousSecret)
        : null,
  })
}
