import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

/** Returns the SHA-256 in hexadecimal, to look up random secrets. Never use it for passwords. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}

// Key objects are faster than buffers, which Node passes to OpenSSL again for every use.
const derivedKeys = new Map<string, KeyObject>()

/** Derives a key for one purpose, and caches it. */
function deriveKey(secretKey: string, purpose: string): KeyObject {
  const name = `${purpose}/${secretKey}`
  let key = derivedKeys.get(name)
  if (!key) {
    key = createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', `assay/${purpose}`, 32)))
    derivedKeys.set(name, key)
  }
  return key
}

/** Returns an HMAC-SHA256 in base64url, with a key for this purpose only. */
export function sign(secretKey: string, purpose: 'session' | 'audit' | 'view', text: string): string {
  return createHmac('sha256', deriveKey(secretKey, purpose)).update(text).digest('base64url')
}

/** Returns 256 random bits in base64url, 43 characters. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Encrypts with AES-256-GCM. The `place` (table, row, field) is authenticated: a value that was moved to another place
 * does not decrypt.
 */
export function encrypt(secretKey: string, place: string, text: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(secretKey, 'encryption'), iv).setAAD(Buffer.from(place))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return `v1.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`
}

/** Returns the number of bytes of an encrypted text, which needs no key. */
export const decryptedSize = (encrypted: string): number =>
  Buffer.byteLength(encrypted.replace(/^v1\./, ''), 'base64url') - 28

/** @throws if the text was changed, moved, or encrypted with another key */
export function decrypt(secretKey: string, place: string, encrypted: string): string {
  const bytes = Buffer.from(encrypted.replace(/^v1\./, ''), 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(secretKey, 'encryption'), bytes.subarray(0, 12))
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
}
