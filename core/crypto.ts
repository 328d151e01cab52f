import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

/** SHA-256 in hexadecimal: for looking up random secrets, never for passwords. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function deriveKey(secretKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', `assay/${purpose}`, 32))
}

/**
 * Encrypts with AES-256-GCM. The `place` (table, row, field) is bound to the text: a value that was moved to another
 * place does not decrypt.
 */
export function encrypt(secretKey: string, place: string, text: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(secretKey, 'encryption'), iv).setAAD(Buffer.from(place))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return `v1.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`
}

/** @throws when the text was changed, moved, or written under another key */
export function decrypt(secretKey: string, place: string, encrypted: string): string {
  const bytes = Buffer.from(encrypted.replace(/^v1\./, ''), 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(secretKey, 'encryption'), bytes.subarray(0, 12))
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
}
