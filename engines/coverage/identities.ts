import { createHash } from 'node:crypto'

/** Branches and functions of all files together. */
export const maxIdentities = 2_000_000
/** Of what they are called. */
const maxCharacters = 64 * 2 ** 20
const longestName = 200

/** The texts by which formats know branches and functions, each kept once: most files have the same ones. */
export interface Identities {
  numbers: Map<string, number>
  characters: number
}

export function createIdentities(): Identities {
  return { numbers: new Map(), characters: 0 }
}

/** One number from 1 for a line, which is below 2^21, and a text, of which there are fewer than that. */
export function identityKey(identities: Identities, line: number, text: string): number {
  const name = text.length <= longestName ? text : createHash('sha256').update(text).digest('base64')
  let number = identities.numbers.get(name)
  if (number === undefined) {
    identities.numbers.set(name, (number = identities.numbers.size + 1))
    identities.characters += name.length
  }
  return line * 2 ** 21 + number
}

export function lineOfKey(key: number): number {
  return Math.floor(key / 2 ** 21)
}

export function areTooMany({ numbers, characters }: Identities): boolean {
  return numbers.size > maxIdentities || characters > maxCharacters
}
