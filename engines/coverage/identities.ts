import { createHash, randomInt } from 'node:crypto'

/** Branches and functions of all files together. */
export const maxIdentities = 2_000_000
/** Characters of all their names together. */
const maxCharacters = 64 * 2 ** 20
const maxName = 200
/** More than there are identities. */
const numberBase = 2 ** 21
/** V8 hashes the keys of a Map without a seed. This keeps the sender of a report from choosing keys that collide. */
const seed = randomInt(numberBase)

/** The texts that identify branches and functions, each kept once, because most files have the same ones. */
export interface Identities {
  numbers: Map<string, number>
  characters: number
}

export function createIdentities(): Identities {
  return { numbers: new Map(), characters: 0 }
}

/** Makes one number of a line, which is below 2^21, and a text. */
export function identityKey(identities: Identities, line: number, text: string): number {
  const name = text.length <= maxName ? text : createHash('sha256').update(text).digest('base64')
  let number = identities.numbers.get(name)
  if (number === undefined) {
    identities.numbers.set(name, (number = (identities.numbers.size + seed) % numberBase))
    identities.characters += name.length
  }
  return line * numberBase + number
}

export function lineOfKey(key: number): number {
  return Math.floor(key / numberBase)
}

export function areTooMany({ numbers, characters }: Identities): boolean {
  return numbers.size > maxIdentities || characters > maxCharacters
}
