import { createHash, randomBytes } from 'node:crypto'

const prefix = 'svc_v1_'
const randomLength = 32
const checksumLength = 4
const tokenLength = prefix.length + randomLength + 1 + checksumLength

/** The prefix of every Assay token. */
export const tokenPrefix = 'svc_'

/** Creates a plain token from 192 random bits and a checksum. The checksum detects typos without a database call. */
export function newToken(): string {
  const random = randomBytes(24).toString('base64url')
  return `${prefix}${random}_${checksum(random)}`
}

/** Returns whether the text has the format and checksum of a token. Splits by position, because base64url contains `_`. */
export function isWellFormedToken(text: string): boolean {
  if (text.length !== tokenLength || !text.startsWith(prefix)) return false
  const random = text.slice(prefix.length, prefix.length + randomLength)
  if (text[prefix.length + randomLength] !== '_' || !/^[A-Za-z0-9_-]+$/.test(random)) return false
  return text.slice(-checksumLength) === checksum(random)
}

function checksum(random: string): string {
  return createHash('sha256').update(random).digest('base64url').slice(0, checksumLength)
}
