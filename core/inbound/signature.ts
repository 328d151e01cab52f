import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { digestOf } from './digest.ts'

const sha256Headers = ['x-codehost-signature-256', 'x-hub-signature-256']
/** Gitea and Forgejo send the same without a prefix, besides GitHub's header in newer versions. */
const giteaHeaders = ['x-forgejo-signature', 'x-gitea-signature']
const sha1Headers = ['x-codehost-signature', 'x-hub-signature']

/** Used if there is no secret, so that timing does not reveal whether a project exists. */
const dummySecret = randomBytes(32).toString('base64url')

export type Signature =
  | { algorithm: 'sha1' | 'sha256'; hex: string }
  /** GitLab sends the secret itself. */
  | { algorithm: 'none'; token: string }

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
  const ofGitea = new Set(giteaHeaders.map((name) => headers[name]).filter((value) => value !== undefined))
  const token = headers['x-gitlab-token']
  if (token !== undefined) {
    const isOnly = given.length === 0 && ofGitea.size === 0 && typeof token === 'string' && token.length <= 512
    return isOnly ? { algorithm: 'none', token } : undefined
  }
  if (given.length === 0 && ofGitea.size > 0) {
    const [hex] = ofGitea
    const isHex = ofGitea.size === 1 && typeof hex === 'string' && /^[0-9a-f]{64}$/.test(hex)
    return isHex ? { algorithm: 'sha256', hex } : undefined
  }
  const legacy = legacySha1 && given.length === 0
  const [name, ...more] = legacy ? sha1Headers.filter((name) => headers[name] !== undefined) : given
  const signature = name === undefined || more.length > 0 ? undefined : headers[name]
  // Node joins repeated headers with a comma, which the pattern does not match.
  const pattern = legacy ? /^sha1=([0-9a-f]{40})$/ : /^sha256=([0-9a-f]{64})$/
  const hex = typeof signature === 'string' ? pattern.exec(signature)?.[1] : undefined
  return hex === undefined ? undefined : { algorithm: legacy ? 'sha1' : 'sha256', hex }
}

/** Checks whether the body was signed with one of the secrets, or came with it. */
export async function isSigned(body: Buffer, signature: Signature, secrets: readonly string[]): Promise<boolean> {
  let matches = 0
  for (const secret of secrets.length > 0 ? secrets : [dummySecret]) {
    const isEqual =
      signature.algorithm === 'none'
        ? timingSafeEqual(sha256(secret), sha256(signature.token))
        : timingSafeEqual(
            await digestOf(createHmac(signature.algorithm, secret), body),
            Buffer.from(signature.hex, 'hex'),
          )
    if (isEqual) matches++
  }
  return secrets.length > 0 && matches > 0
}

/** Texts of any length can be compared in constant time by their digests. */
const sha256 = (text: string) => createHash('sha256').update(text).digest()
