/**
 * Characters that a reader does not see, or that reorder text: controls, format characters (zero-width, bidirectional,
 * tags), lone surrogates, line and paragraph separators, variation selectors and fillers. Tab and newline remain.
 */
const hidden = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\t\n]]/gv

/** Matches whole terminal escape sequences. Without this their visible part would remain: `[31m`. */
// oxlint-disable-next-line no-control-regex -- matches control characters
const escapeSequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g

/** Nearly all text is of these characters, which are not hidden. */
const onlyPlain = /^[ -~\n\t]*$/

/** Removes hidden characters from text of several lines, such as code. */
export function cleanText(text: string): string {
  if (onlyPlain.test(text)) return text
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/[\r\u2028\u2029]/g, '\n')
    .replaceAll(escapeSequence, '')
    .replaceAll(hidden, '')
}

/** Escapes hidden characters in JSON, so that a terminal does not obey them. The value stays the same. */
export function escapeHidden(json: string): string {
  return json.replaceAll(hidden, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** Returns prose in one line, without hidden characters and code fences. */
export function cleanLine(text: string): string {
  return cleanText(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/`{3,}|~{3,}/g, "'''")
    .trim()
}

/**
 * Returns a path or symbol in one line. Replaces hidden characters by a visible mark instead of removing them, because
 * the name without them may be that of another file.
 */
export function cleanName(text: string): string {
  return (onlyPlain.test(text) ? text : text.replaceAll(hidden, '\ufffd'))
    .replaceAll(/[\t\n]/g, '\ufffd')
    .replaceAll('```', "'''")
}

/**
 * Cuts text to `maximum` bytes, with an ellipsis. Counts the bytes of its JSON, so that neither other scripts nor many
 * quotes exceed the budget of an answer.
 */
export function shorten(text: string, maximum: number): string {
  if (jsonBytes(text) <= maximum) return text
  let bytes = jsonBytes('…')
  let end = 0
  for (const character of text) {
    bytes += jsonBytes(character)
    if (bytes > maximum) break
    end += character.length
  }
  return `${text.slice(0, end)}…`
}

const jsonBytes = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2

/** Wraps code in a fence that is one backtick longer than any in the code, so that the code cannot close it. */
export function fence(code: string): string {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map((run) => run.length))
  const marks = '`'.repeat(longest + 1)
  return `${marks}\n${code.replace(/(?<!\n)\n+$/, '')}\n${marks}`
}

/** Removes hidden characters from every string and key. Tools clean names and prose before. */
export function cleanDeep<T>(value: T): T
export function cleanDeep(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (Array.isArray(value)) return value.map((item) => cleanDeep(item))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanText(key), cleanDeep(item)]))
  }
  return value
}
