/** One line of a CODEOWNERS file. */
export type Line =
  | { kind: 'nothing' }
  | { kind: 'heading'; section: string; owners: string[]; badOwner: string | null }
  | { kind: 'rule'; pattern: string; isExclusion: boolean; owners: string[]; badOwner: string | null }
  | { kind: 'bad'; message: string }

const headingPattern = /^\s*\^?\[([^[\]]+)\](?:\[\d*\])?(?:\s([^]*))?$/

/** Linux has no longer paths. */
const maxPatternLength = 4_096

/**
 * Reads a line. A comment begins with `#` at the start of the line or after a blank. Owners are users (`@user`), teams
 * (`@org/team`), roles of GitLab (`@@maintainer`) and e-mail addresses. `badOwner` is the first word that is none of these.
 *
 * @param hasSections - whether the file is written for GitLab, which accepts `!` and `\#`
 */
export function readLine(text: string, hasSections: boolean): Line {
  const heading = readHeading(text)
  if (heading) return heading
  const [pattern, ...others] = wordsOf(text)
  if (pattern === undefined) return { kind: 'nothing' }
  const isExclusion = hasSections && pattern.startsWith('!')
  const message = problemOf(isExclusion ? pattern.slice(1) : pattern, hasSections)
  if (message !== null) return { kind: 'bad', message }
  return { kind: 'rule', pattern: isExclusion ? pattern.slice(1) : pattern, isExclusion, ...ownersAmong(others) }
}

/** Returns whether a line begins a section of GitLab. */
export function isHeading(text: string): boolean {
  return headingPattern.test(text)
}

/** `[Section]`, optional as `^[Section]`, with the number of approvals as `[Section][2]`, and default owners. */
function readHeading(text: string): Line | null {
  const [, section, rest = ''] = headingPattern.exec(text) ?? []
  if (section === undefined) return null
  return { kind: 'heading', section: section.trim().toLowerCase(), ...ownersAmong(wordsOf(rest)) }
}

/** Splits at blanks that are not escaped, up to a comment. */
function wordsOf(text: string): string[] {
  const words = text.match(/(?:[^\s\\]|\\[^])+|\\$/gu) ?? []
  const comment = words.findIndex((word) => word.startsWith('#'))
  return comment < 0 ? words : words.slice(0, comment)
}

function ownersAmong(words: readonly string[]): { owners: string[]; badOwner: string | null } {
  return { owners: words.filter(isOwner), badOwner: words.find((word) => !isOwner(word)) ?? null }
}

function isOwner(word: string): boolean {
  return /^@@?[\w.-]+(?:\/[\w.-]+)*$/.test(word) || /^[^\s@]+@[^\s@]+$/.test(word)
}

function problemOf(pattern: string, hasSections: boolean): string | null {
  const plain = pattern.replace(/\\[^]/gu, '')
  if (pattern.length > maxPatternLength) return `The pattern is longer than ${maxPatternLength} characters.`
  if (pattern === '' || pattern === '/') return 'The pattern matches no file.'
  if (plain.startsWith('!')) return 'Patterns cannot be negated with `!`. Add a rule without owners.'
  if (pattern.startsWith('\\#') && !hasSections) return 'Patterns cannot begin with `#`, even with a backslash.'
  if (plain.includes('***')) return 'Patterns cannot contain `***`. Did you mean `**`?'
  if (/[[\]]/.test(plain)) return 'Patterns cannot contain character ranges. Write `\\[` and `\\]` for brackets.'
  return null
}
