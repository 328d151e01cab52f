import { keysOf, matchesPath, type PathPattern, readPathPattern, splitPath } from './path-pattern.ts'

/** Where code hosts look for the file: the first three are those of GitHub, the last three those of GitLab. */
export const codeownersPaths = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'] as const

/** A line that has no effect. */
export interface CodeownersProblem {
  /** From 1; null if it is about the whole file. */
  line: number | null
  message: string
}

interface Rule {
  line: number
  owners: readonly string[]
  /** In lower case; empty outside of sections. */
  section: string
  pattern: PathPattern
}

export interface Codeowners {
  rules: readonly Rule[]
  /** The first 100. */
  problems: readonly CodeownersProblem[]
  /** Positions of rules by the keys of their patterns. */
  byKey: ReadonlyMap<string, readonly number[]>
}

/** GitHub does not load larger files. */
const maxLength = 3 * 2 ** 20
const maxRules = 20_000
const maxProblems = 100
const maxPatternLength = 1_000

const heading = /^\^?\[([^\]]{1,200})\](?:\[\d{1,3}\])?(.*)$/

/**
 * Reads the text of a CODEOWNERS file. Sections with default owners are those of GitLab. A line that code hosts do not
 * accept has no effect and is a problem.
 */
export function readCodeowners(text: string): Codeowners {
  const problems: CodeownersProblem[] = []
  const report = (line: number | null, message: string) => {
    if (problems.length < maxProblems) problems.push({ line, message })
  }
  const rules: Rule[] = []
  if (text.length > maxLength) {
    report(null, 'The file is larger than 3 MB, so code hosts do not load it.')
    return { rules, problems, byKey: new Map() }
  }
  let section = ''
  let usual: readonly string[] = []
  for (const [index, content] of text.split('\n').entries()) {
    const words = wordsOf(content)
    const [first] = words
    if (first === undefined) continue
    const found = heading.exec(words.join(' '))
    if (found) {
      section = (found[1] ?? '').trim().toLowerCase()
      usual = ownersIn(wordsOf(found[2] ?? ''))
      continue
    }
    const problem = problemOf(first)
    if (problem) report(index + 1, problem)
    else if (rules.length === maxRules) {
      report(index + 1, `Only the first ${maxRules} rules count.`)
      break
    } else {
      const own = ownersIn(words.slice(1))
      const owners = own.length === 0 && section !== '' ? usual : own
      const name = first.replaceAll('\\ ', ' ').replaceAll(String.raw`\#`, '#')
      rules.push({ line: index + 1, owners, section, pattern: readPathPattern(name, false) })
    }
  }
  const byKey = new Map<string, number[]>()
  for (const [index, { pattern }] of rules.entries()) {
    const places = byKey.get(pattern.key) ?? []
    places.push(index)
    byKey.set(pattern.key, places)
  }
  return { rules, problems, byKey }
}

/**
 * Returns the owners of a file: those of the last rule that matches it. With sections, the owners of the last rule of each
 * section. A rule without owners removes those of the rules before it.
 *
 * @param path - relative to the repository
 * @returns null if no rule matches
 */
export function ownersOf({ rules, byKey }: Codeowners, path: string): { owners: string[]; line: number } | null {
  const split = splitPath(path)
  const places = [...keysOf(split)].flatMap((key) => byKey.get(key) ?? []).toSorted((a, b) => b - a)
  const sections = new Set<string>()
  const owners = new Set<string>()
  let line: number | null = null
  for (const place of places) {
    const rule = rules[place]
    if (!rule || sections.has(rule.section) || !matchesPath(rule.pattern, split)) continue
    sections.add(rule.section)
    line ??= rule.line
    for (const owner of rule.owners) owners.add(owner)
  }
  return line === null ? null : { owners: [...owners], line }
}

function problemOf(pattern: string): string | undefined {
  if (pattern.startsWith('!')) return 'A pattern cannot be negated with `!`.'
  if (/[[\]]/.test(pattern)) return 'Character ranges in brackets are not supported.'
  if (pattern.length > maxPatternLength) return `The pattern has more than ${maxPatternLength} characters.`
  return undefined
}

/** Splits a line at spaces that no backslash precedes, without its comment. */
function wordsOf(line: string): string[] {
  const words: string[] = []
  for (const word of line.trim().match(/(?:\\.|[^\s\\])+/gu) ?? []) {
    if (word.startsWith('#')) break
    words.push(word)
  }
  return words
}

/** Users, teams, roles and e-mail addresses. */
const ownersIn = (words: readonly string[]) => words.filter((word) => /^@@?[\w./-]+$|^[^\s@]+@[^\s@]+$/.test(word))
