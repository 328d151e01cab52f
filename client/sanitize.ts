/**
 * Characters that a person reading the text would not see, or that reorder what is seen: controls, format characters
 * (zero-width, bidirectional, tags), lone surrogates, line and paragraph separators, variation selectors and fillers.
 * Tab and newline stay.
 */
const hidden = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\t\n]]/gv

/** Terminal escape sequences go as a whole, or their visible rest would remain: `[31m`. */
// oxlint-disable-next-line no-control-regex -- the control characters are what is looked for
const escapeSequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g

/** Text of several lines, such as code, without anything hidden. */
export function cleanText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/[\r\u2028\u2029]/g, '\n')
    .replaceAll(escapeSequence, '')
    .replaceAll(hidden, '')
}

/** JSON that says the same without anything hidden in it as it stands: escapes stand for what a terminal would obey. */
export function escapeHidden(json: string): string {
  return json.replaceAll(hidden, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** Prose in one line, with nothing in it that could open or close a code block. */
export function cleanLine(text: string): string {
  return cleanText(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/`{3,}|~{3,}/g, "'''")
    .trim()
}

/**
 * A path or symbol in one line. Hidden characters become a visible mark instead of vanishing: a name that hides
 * something is not the name of another file.
 */
export function cleanName(text: string): string {
  return text
    .replaceAll(hidden, '\ufffd')
    .replaceAll(/[\t\n]/g, '\ufffd')
    .replaceAll('```', "'''")
}

/**
 * At most `maximum` bytes, the cut shown by an ellipsis. Bytes as they travel in JSON, so that neither other scripts nor
 * many quotes make an answer larger than its budget.
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

/** Code in a fence that it cannot close: one backtick more than its longest run. */
export function fence(code: string): string {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map((run) => run.length))
  const marks = '`'.repeat(longest + 1)
  return `${marks}\n${code.replace(/\n+$/, '')}\n${marks}`
}

/** Every string inside, keys too, without anything hidden. What the tools make of names and prose comes before this. */
export function cleanDeep<T>(value: T): T
export function cleanDeep(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (Array.isArray(value)) return value.map((item) => cleanDeep(item))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanText(key), cleanDeep(item)]))
  }
  return value
}
