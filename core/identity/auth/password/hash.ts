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
 * OWASP's least for argon2id. Hashes are made in libuv's thread pool, four at a time unless UV_THREADPOOL_SIZE says
 * otherwise, and take their memory only there: a flood waits its turn and holds some 80 MB.
 */
const cost: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const nonceBytes = 16
const tagBytes = 32

/** Exactly what we write, with other costs of a sensible size. */
const phc = /^\$argon2id\$v=19\$m=([1-9]\d{1,5}),t=([1-9]\d?),p=([1-9])\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

/** A salted argon2id hash as a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(nonceBytes)
  return format(cost, nonce, await tagOf(password, nonce, cost))
}

export interface Verdict {
  matches: boolean
  /** The hash was made with other costs than today's. */
  outdated: boolean
}

/** @throws when the stored text is no hash of ours: somebody tampered with the table */
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

/** The work of `verifyPassword` where there is no account or no password, so that the time does not tell. */
export async function verifyAgainstNothing(password: string): Promise<Verdict> {
  await verifyPassword(password, nothing)
  return { matches: false, outdated: false }
}

function tagOf(password: string, nonce: Buffer, { memory, passes, parallelism }: Cost): Promise<Buffer> {
  return derive('argon2id', {
    // Keyboards differ in how they compose a letter; whoever typed it means the same.
    message: password.normalize('NFKC'),
    nonce,
    tagLength: tagBytes,
    memory,
    passes,
    parallelism,
  })
}

function format({ memory, passes, parallelism }: Cost, nonce: Buffer, tag: Buffer): string {
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''))
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${salt}$${hash}`
}
