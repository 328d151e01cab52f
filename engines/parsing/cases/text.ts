import { oneLine } from '../one-line.ts'

/** Longer conditions are cut, which the mark at the end shows. */
export const maxCondition = 120
const maxResult = 80
const cut = '…'

export const conditionText = (text: string, room = 0): string => oneLine(text, maxCondition - room)
export const resultText = (text: string): string => oneLine(text, maxResult).replace(/;$/, '')

const named = new Set(['null', 'undefined', 'None', 'nil', 'NaN', 'true', 'false', 'True', 'False'])

/** Whether a text is evidently a value and does nothing: `0`, `'none'`, `[]`. */
export const isValue = (text: string): boolean =>
  named.has(text) ||
  ['"', "'", '`'].some((quote) => text.startsWith(quote) && text.endsWith(quote)) ||
  (/^[-+]?\.?\d|^[[{]/.test(text) && !/[=(]/.test(text))

/** A name, member or call, which needs no parentheses: `a.b`, `isReady()`, `$this->x`. */
const isSimple = (text: string): boolean =>
  /^(?!\()(?:[\w$@#.!]|::|->|\?\.|\?->|\[[^\][]*\]|\([^()]*\))+\??$/.test(text) && !text.startsWith('!')

/** The same text with what must hold of it: `(a || b) is falsy`. */
export function stated(text: string, state: string): string {
  const own = conditionText(text, state.length + 3)
  return isSimple(own) ? `${own} ${state}` : `(${own}) ${state}`
}

/** What holds where the text does not: `!(a && b)`, and `ready` for `!ready`. */
export function negated(text: string, not: '!' | 'not '): string {
  const own = conditionText(text, not.length + 2)
  if (own.startsWith(not) && !own.endsWith(cut)) {
    const rest = own.slice(not.length).trim()
    if (isSimple(rest)) return rest
  }
  return isSimple(own) ? `${not}${own}` : `${not}(${own})`
}

/** The content of a literal text without its quotes and their escapes. Python and C# join texts that follow each other. */
function unquoted(text: string): string {
  return text
    .slice(0, maxResult * 4)
    .replace(/^[a-zA-Z$@]{0,3}#{0,9}(?:"""|'''|["'`])/, '')
    .replace(/(?:"""|'''|(?<!\\)["'`])#{0,9}$/, '')
    .replace(/(?<!\\)(["'])\s{1,99}[a-zA-Z]{0,2}\1/g, '')
    .replace(/\\(["'`])/g, '$1')
}

/** `TypeError: Expected a number` of a type and the text of its message. */
export function thrown(type: string, message: string | undefined): string {
  const text = message === undefined ? '' : unquoted(message)
  return resultText(text === '' ? type : `${type}: ${text}`)
}

/** Compares with a limit, or asks for nothing at all. */
const limits =
  /(?<![-=<>])[<>]=?(?![<>=])|\b(?:len|count|length|size|Length|Count)\b|[=!]==? ?(?:0|1|-1|''|"")(?![\w.])|\b(?:null|undefined|None|nil|NaN|isNaN|isFinite|isInteger|isEmpty|is_empty|empty|isset|is_null|is_none|is_some|blank|present|nil\?|empty\?)/

export const isBoundary = (condition: string): boolean => limits.test(condition)

/** Two tests in one, of which tools that measure branches count the parts. */
export const isCompound = (text: string): boolean => text.length > 400 || /&&|\|\||\?|\b(?:and|or|if)\b/.test(text)
