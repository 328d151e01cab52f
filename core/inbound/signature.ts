import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const sha256Headers = ['x-codehost-signature-256', 'x-hub-signature-256']
const sha1Headers = ['x-codehost-signature', 'x-hub-signature']

/** Where there is no secret the same work is done with this one, so that nobody can tell by the time. */
const nobodysSecret = randomBytes(32).toString('base64url')

export interface Signature {
  algorithm: 'sha1' | 'sha256'
  hex: string
}

/**
 * The signature that a code host sends; undefined where there is none that could be good. There must be one header with
 * one signature: of several nobody knows which counts.
 *
 * @param legacySha1 - also takes `sha1=`, where no SHA-256 came along
 */
export function readSignature(
  headers: IncomingHttpHeaders,
  { legacySha1 }: { legacySha1: boolean },
): Signature | undefined {
  const given = sha256Headers.filter((name) => headers[name] !== undefined)
  const legacy = legacySha1 && given.length === 0
  const [name, ...more] = legacy ? sha1Headers.filter((name) => headers[name] !== undefined) : given
  const signature = name === undefined || more.length > 0 ? undefined : headers[name]
  // Node joins a header that came twice with a comma.
  const pattern = legacy ? /^sha1=([0-9a-f]{40})$/ : /^sha256=([0-9a-f]{64})$/
  const hex = typeof signature === 'string' ? pattern.exec(signature)?.[1] : undefined
  return hex === undefined ? undefined : { algorithm: legacy ? 'sha1' : 'sha256', hex }
}

/** Whether the body, byte for byte, was signed with one of the secrets. */
export function isSigned(body: Buffer, { algorithm, hex }: Signature, secrets: readonly string[]): boolean {
  const tried = secrets.length > 0 ? secrets : [nobodysSecret]
  const matches = tried.filter((secret) => {
    const own = createHmac(algorithm, secret).update(body).digest()
    return timingSafeEqual(own, Buffer.from(hex, 'hex'))
  })
  return secrets.length > 0 && matches.length > 0
}
