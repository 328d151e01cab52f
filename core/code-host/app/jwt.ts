import { sign } from 'node:crypto'

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs the token with which a GitHub App authenticates itself. GitHub accepts at most ten minutes. */
export function appToken({ id, privateKey }: { id: string; privateKey: string }, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1_000)
  // A minute in the past, because the clocks may differ.
  const content = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ iss: id, iat: seconds - 60, exp: seconds + 540 })}`
  return `${content}.${sign('sha256', Buffer.from(content), privateKey).toString('base64url')}`
}
