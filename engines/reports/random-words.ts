/** Words that may be random: with a digit, or long. */
const word = /[\w+/-]{4,}={0,2}/g
const parts = /[A-Za-z\d]{4,}/g
/** A part of a word that is no accident. */
const hasName = /(?:^|[-_/+])[A-Z]?[a-z]{3,}(?:$|[-_/+=])/
/** Words of a name, such as `get`, `HTTP`, `Url` and `2`. */
const runs = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g

const isUlid = /^[\dA-HJKMNP-TV-Z]{26}$/

/** Replaces words that are made at random, such as hashes, tokens and suffixes, and long numbers in words. */
export function withoutIds(text: string): string {
  return text.replace(word, (found) => {
    if (!/\d|[a-z][A-Z]/.test(found)) return found
    if (found.length >= 16 && !hasName.test(found) && isRandom(found)) return '<id>'
    return found.replace(parts, (part, at: number) =>
      isRandom(part) || (at > 0 && isRandomSuffix(part)) ? '<id>' : part.replace(/\d{5,}/g, '<number>'),
    )
  })
}

function isRandom(text: string): boolean {
  const hasDigit = /\d/.test(text)
  const count = text.match(runs)?.length ?? 0
  const runLength = text.length / Math.max(count, 1)
  if (isUlid.test(text)) return true
  if (text.length >= 16) return count >= 5 && runLength < (hasDigit ? 3 : 2.2)
  if (!hasDigit) return false
  if (/^(?:[\da-f]+|[\dA-F]+)$/.test(text)) {
    if (count === 1) return false
    return text.length >= 12 || (text.length >= 7 && count >= 3) || count >= 4
  }
  return count >= 4 && runLength < 2.5
}

/** Random suffixes begin with a digit, have one in the middle, or no vowel. */
const isRandomSuffix = (text: string) =>
  text.length >= 5 &&
  /\d/.test(text) &&
  (/^\d+[a-z]|[a-z]\d+[a-z]/i.test(text) || !/[aeiouy]/i.test(text)) &&
  /[a-z]/i.test(text)
