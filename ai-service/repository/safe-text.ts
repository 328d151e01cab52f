/**
 * Characters that are invisible, reorder text or are unassigned: controls, bidi and zero-width characters, tags,
 * variation selectors, lone surrogates, private use, line and paragraph separators.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
const unprintables = new RegExp(unprintable, 'gu')

/** Returns whether text can be shown unchanged without misleading the reader. */
export const isPrintable = (text: string) => !unprintable.test(text)

/** Converts untrusted text to one line of prose. */
export function oneLine(text: string, maxLength: number): string {
  const clean = text
    .slice(0, maxLength * 4)
    .replace(unprintables, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
  if (clean.length <= maxLength) return clean
  const cut = clean.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')
  return `${cut}…`
}

const unprintableInText = new RegExp(`(?![\\n\\t])(?:${unprintable.source})`, 'gu')
/** Longer lines are cut, because minified code and embedded data do not help a reader. */
const maxLineLength = 1_000

/** Code without characters that are invisible or reorder text. */
export const codeLines = (text: string) => text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(unprintableInText, '')

/** Untrusted text of several lines, without characters that are invisible or reorder text, and with long lines cut. */
export function manyLines(text: string): string {
  return codeLines(text)
    .split('\n')
    .map((line) => (line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line))
    .join('\n')
}

/** Vitest and Jest load the environment that `@vitest-environment` names anywhere in a test file. */
const runnerDirective = /@(?=(?:vitest|jest)-)/g

/**
 * Untrusted text for comments and titles in code. Keeps only characters that no lexer interprets there:
 * no quotes, backslashes (Java reads `\u000a` in a comment as a line break), `*` (ends block comments), `<` and `>`
 * (PHP leaves a line comment at `?>`), `{`, `%`, and no `//` that starts a source map link.
 */
export function inCode(text: string, maxLength: number): string {
  return oneLine(text, maxLength)
    .replace(/[^\p{L}\p{M}\p{N} _$.,:;?!()[\]/+=~@#…-]/gu, '_')
    .replace(/\/{2,}/g, '/')
    .replace(runnerDirective, '')
}

/** A comment that names a source map, which tools read in strings too. */
const sourceMapLink = /\/\/(?=[#@])/g

/** Untrusted text for a string literal, which keeps the operators of code. The literal's own function escapes it. */
export const inLiteral = (text: string, maxLength: number) =>
  oneLine(text, maxLength).replace(sourceMapLink, '/').replace(runnerDirective, '')

/** A literal in single quotes for JavaScript, TypeScript, Ruby and PHP. */
export const singleQuoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`

/** A literal in double quotes for languages in which `\` and `"` are all that needs escaping. */
export const doubleQuoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`

/** Returns whether a path stays inside the repository on every operating system and is printable. */
export function isSafePath(path: string): boolean {
  return (
    path.length <= 1_024 &&
    isPrintable(path) &&
    path.search(runnerDirective) === -1 &&
    !path.includes('\\') &&
    !/^[A-Za-z]:/.test(path) &&
    path.split('/').every((segment) => !['', '.', '..', '.git'].includes(segment.toLowerCase()))
  )
}
