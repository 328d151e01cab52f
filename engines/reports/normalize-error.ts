import { createHash } from 'node:crypto'
import { plainText } from './text.ts'

export interface NormalisedError {
  /** The readable text with placeholders such as `<number>`. */
  text: string
  /** Equal for errors that differ only in values that change from run to run. */
  hash: string
}

const maxRead = 4000
const maxLines = 5
const maxText = 500

/** Ordered from the most to the least specific pattern, because each changes the text for the next. */
const changing: readonly [RegExp, string][] = [
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, '<uuid>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?)?/g, '<time>'],
  [/\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b/g, '<time>'],
  [/(?:\/private)?(?:\/var\/folders|\/tmp|\/var\/tmp|\/dev\/shm)\/[^\s'"`:)\],]+/g, '<temporary file>'],
  [/\b[A-Za-z]:\\[^\s'"`:)\],]*\\Temp\\[^\s'"`:)\],]+/gi, '<temporary file>'],
  [/\b(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0):\d+\b/g, '<local address>'],
  [/\b0x[\da-f]+\b/gi, '<address>'],
  [/@[\da-f]{5,16}\b/g, '@<address>'],
  [/\b(?=[\da-f]{12,}\b)(?=[a-z_-]{0,100}\d)(?=\d*[a-z_-])[\da-f]+/gi, '<id>'],
  [/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, '<id>'],
  [/(["'`])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{16,}\1/g, '<id>'],
  [/\b\d+(?:\.\d+)? ?(?:ms|milliseconds?|µs|us|ns|s|secs?|seconds?|m|mins?|minutes?)\b/g, '<duration>'],
  [/(?<![A-Za-z_])[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?(?![A-Za-z_])/gi, '<number>'],
]

/** Normalizes the message of a failed test to group similar errors. Empty messages also form a group. */
export function normalizeError(message: string | null): NormalisedError {
  const lines = plainText((message ?? '').slice(0, maxRead))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /[\p{L}\d]/u.test(line) && !isFrame(line))
    .slice(0, maxLines)
  const normal = changing
    .reduce((text, [pattern, placeholder]) => text.replace(pattern, placeholder), lines.join('\n'))
    .replace(/[ \t]+/g, ' ')
    .slice(0, maxText)
    .toWellFormed()
  return { text: normal, hash: createHash('sha256').update(normal).digest('hex').slice(0, 32) }
}

function isFrame(line: string): boolean {
  return /^(?:at |File ".*", line \d+|❯ |\S+:\d+(?::\d+)?:?$|\.{3} \d+ more)/.test(line)
}
