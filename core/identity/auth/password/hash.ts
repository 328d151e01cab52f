import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)

interface Cost {
  /** KiB. */
  memory: number
  passes: number
  parallelism: number
}

/**
 * OWASP's minimum for argon2id. Node computes hashes in libuv's thread pool, by default four at a time, so that a flood
 * of sign-ins takes at most about 80 MB.
 */
const cost: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const nonceBytes = 16
const tagBytes = 32

/** The format that `format` writes, also with other costs. */
const phc = /^\$argon2id\$v=19\$m=([1-9]\d{1,5}),t=([1-9]\d?),p=([1-9])\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

/** Returns a salted argon2id hash as a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(nonceBytes)
  return format(cost, nonce, await tagOf(password, nonce, cost))
}

export interface Verdict {
  matches: boolean
  /** True if the hash was made with other costs than the current ones. */
  outdated: boolean
}

/** @throws if the stored text is not in our format, which means that the table was tampered with */
export async function verifyPassword(password: string, stored: string): Promise<Verdict> {
  const [, memory, passes, parallelism, nonce, tag] = phc.exec(stored) ?? []
  if (nonce === undefined || tag === undefined) throw new Error('A stored password hash cannot be read.')
  const itsCost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const expected = Buffer.from(tag, 'base64')
  const actual = await tagOf(password, Buffer.from(nonce, 'base64'), itsCost)
  return {
    matches: timingSafeEqual(actual, expected),
    outdated: memory !== `${cost.memory}` || passes !== `${cost.passes}` || parallelism !== `${cost.parallelism}`,
  }
}

const nothing = format(cost, Buffer.alloc(nonceBytes), Buffer.alloc(tagBytes))

/** Does the work of `verifyPassword` without a stored hash, so that the time does not reveal whether an account exists. */
export async function verifyAgainstNothing(password: string): Promise<Verdict> {
  await verifyPassword(password, nothing)
  return { matches: false, outdated: false }
}

function tagOf(password: string, nonce: Buffer, { memory, passes, parallelism }: Cost): Promise<Buffer> {
  return derive('argon2id', {
    // Keyboards differ in how they compose a letter.
    message: password.normalize('NFKC'),
    nonce,
    tagLength: tagBytes,
    memory,
    passes,
    parallelism,
  })
}

function format({ memory, passes, parallelism }: Cost, nonce: Buffer, tag: Buffer): string {
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replace(/(?<!=)=+$/, ''))
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${salt}$${hash}`
}
