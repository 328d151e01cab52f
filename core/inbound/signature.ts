import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { digestOf } from './digest.ts'

const sha256Headers = ['x-codehost-signature-256', 'x-hub-signature-256']
const sha1Headers = ['x-codehost-signature', 'x-hub-signature']

/** Used if there is no secret, so that timing does not reveal whether a project exists. */
const dummySecret = randomBytes(32).toString('base64url')

export interface Signature {
  algorithm: 'sha1' | 'sha256'
  hex: string
}

/**
 * Reads the signature from the headers; undefined if it is missing or malformed, or if there are several, since it would
 * be unclear which one counts.
 *
 * @param legacySha1 - also accept `sha1=` if there is no SHA-256
 */
export function readSignature(
  headers: IncomingHttpHeaders,
  { legacySha1 }: { legacySha1: boolean },
): Signature | undefined {
  const given = sha256Headers.filter((name) => headers[name] !== undefined)
  const legacy = legacySha1 && given.length === 0
  const [name, ...more] = legacy ? sha1Headers.filter((name) => headers[name] !== undefined) : given
  const signature = name === undefined || more.length > 0 ? undefined : headers[name]
  // Node joins repeated headers with a comma, which the pattern does not match.
  const pattern = legacy ? /^sha1=([0-9a-f]{40})$/ : /^sha256=([0-9a-f]{64})$/
  const hex = typeof signature === 'string' ? pattern.exec(signature)?.[1] : undefined
  return hex === undefined ? undefined : { algorithm: legacy ? 'sha1' : 'sha256', hex }
}

/** Checks whether the body was signed with one of the secrets. */
export async function isSigned(
  body: Buffer,
  { algorithm, hex }: Signature,
  secrets: readonly string[],
): Promise<boolean> {
  const given = Buffer.from(hex, 'hex')
  let matches = 0
  for (const secret of secrets.length > 0 ? secrets : [dummySecret]) {
    const own = await digestOf(createHmac(algorithm, secret), body)
    if (timingSafeEqual(own, given)) matches++
  }
  return secrets.length > 0 && matches > 0
}
