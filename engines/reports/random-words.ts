const parts = /[A-Za-z\d]{4,}/g
/** A part of a word that is no accident. */
const hasName = /(?:^|[-_/+])[A-Z]?[a-z]{3,}(?:$|[-_/+=])/
/** Words of a name, such as `get`, `HTTP`, `Url` and `2`. */
const runs = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g
const isUlid = /^[\dA-HJKMNP-TV-Z]{26}$/
/** Shorter words are names. */
const minLength = 4

/** Replaces words that are made at random, such as hashes, tokens and suffixes, and long numbers in words. */
export function withoutIds(text: string): string {
  let read = 0
  let result = ''
  let start = 0
  let signs = 0
  // Reads each character once: an expression for words with a letter and a digit would read them repeatedly.
  for (let at = 0; at <= text.length; at++) {
    const sign = signOf(text.charCodeAt(at))
    if (sign !== none) {
      signs |= sign
      continue
    }
    const isSuspect = (signs & lower && signs & upper) || (signs & digit && signs & (lower | upper))
    if (isSuspect && at - start >= minLength) {
      // base64 is filled up with these.
      const end = text.startsWith('==', at) ? at + 2 : text[at] === '=' ? at + 1 : at
      result += text.slice(read, start) + withoutId(text.slice(start, end))
      read = end
    }
    start = at + 1
    signs = 0
  }
  return read === 0 ? text : result + text.slice(read)
}

const [none, lower, upper, digit, mark] = [0, 1, 2, 4, 8] as const

function signOf(code: number): number {
  if (code >= 97 && code <= 122) return lower
  if (code >= 65 && code <= 90) return upper
  if (code >= 48 && code <= 57) return digit
  // _ - + /
  return code === 95 || code === 45 || code === 43 || code === 47 ? mark : none
}

function withoutId(word: string): string {
  if (word.length < 16 && !/\d/.test(word)) return word
  if (word.length >= 16 && !hasName.test(word) && isRandom(word)) return '<id>'
  return word.replace(parts, (part, at: number) =>
    isRandom(part) || (at > 0 && isRandomSuffix(part)) ? '<id>' : part.replace(/\d{5,}/g, '<number>'),
  )
}

function isRandom(text: string): boolean {
  const hasDigit = /\d/.test(text)
  if (isUlid.test(text)) return true
  const count = text.match(runs)?.length ?? 0
  const runLength = text.length / Math.max(count, 1)
  if (text.length >= 16) return count >= 5 && runLength < (hasDigit ? 3 : 2.2)
  if (!hasDigit) return false
  if (/^(?:[\da-f]+|[\dA-F]+)$/.test(text)) {
    if (count === 1) return false
    return text.length >= 12 || (text.length >= 7 && count >= 3) || count >= 4
  }
  return count >= 4 && runLength < 2.5
}

/** Random suffixes begin with a digit, have one in the middle, or no vowel. */
function isRandomSuffix(text: string): boolean {
  if (text.length < 5 || !/\d/.test(text) || !/[a-z]/i.test(text)) return false
  return /^\d|[a-z]\d+[a-z]/i.test(text) || !/[aeiouy]/i.test(text)
}
