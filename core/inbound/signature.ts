import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const sha256Headers = ['x-codehost-signature-256', 'x-hub-signature-256']
const sha1Headers = ['x-codehost-signature', 'x-hub-signature']

/** Where there is no secret the same work is done with this one, so that nobody can tell by the time. */
const nobodysSecret = randomBytes(32).toString('base64url')

/**
 * Whether the body, byte for byte, carries a code host's signature with one of the secrets. There must be one header
 * with one signature: of several nobody knows which counts.
 *
 * @param legacySha1 - also takes `sha1=`, where no SHA-256 came along
 */
export function isSignedByCodeHost(
  headers: IncomingHttpHeaders,
  body: Buffer,
  secrets: readonly string[],
  { legacySha1 }: { legacySha1: boolean },
): boolean {
  const given = sha256Headers.filter((name) => headers[name] !== undefined)
  const legacy = legacySha1 && given.length === 0
  const [name, ...more] = legacy ? sha1Headers.filter((name) => headers[name] !== undefined) : given
  const signature = name === undefined || more.length > 0 ? undefined : headers[name]
  // Node joins a header that came twice with a comma.
  const pattern = legacy ? /^sha1=([0-9a-f]{40})$/ : /^sha256=([0-9a-f]{64})$/
  const hex = typeof signature === 'string' ? pattern.exec(signature)?.[1] : undefined
  if (hex === undefined) return false
  const tried = secrets.length > 0 ? secrets : [nobodysSecret]
  const matches = tried.filter((secret) => {
    const own = createHmac(legacy ? 'sha1' : 'sha256', secret)
      .update(body)
      .digest()
    return timingSafeEqual(own, Buffer.from(hex, 'hex'))
  })
  return secrets.length > 0 && matches.length > 0
}
