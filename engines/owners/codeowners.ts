import type { PathPattern } from './path-pattern.ts'
import { keysOf, matchesPath, readPathPattern, splitPath } from './path-pattern.ts'
import { isHeading, readLine } from './read-line.ts'

/** Where code hosts look for the file, in their order. GitHub reads the first three places, GitLab the last three. */
export const codeownersPaths = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'] as const

/** A part of the file that has no effect. */
export interface CodeownersProblem {
  /** Null if the problem concerns the whole file. */
  line: number | null
  message: string
}

/** The rules of a CODEOWNERS file. */
export interface Codeowners {
  /** Whether the file is written for GitLab. */
  hasSections: boolean
  rules: readonly Rule[]
  /** Problems of the whole file, then those of lines: the first 100. */
  problems: readonly CodeownersProblem[]
  /** Positions of rules by the keys of their patterns. */
  rulesByKey: ReadonlyMap<string, readonly number[]>
}

interface Rule {
  line: number
  owners: readonly string[]
  /** The name in lower case. Empty for rules before the first section. */
  section: string
  /** Whether matching files have no owners in this section. Later rules of the section do not change that. */
  isExclusion: boolean
  pattern: PathPattern
}

/** A rule before its pattern is read. */
type Entry = Omit<Rule, 'pattern'> & { text: string }

/** GitHub does not load larger files. */
export const maxCodeownersBytes = 3 * 1024 * 1024

/** The problem of a larger file. */
export const tooLarge: CodeownersProblem = {
  line: null,
  message: 'The file is larger than 3 MB. GitHub does not load it. Use wildcards to combine rules.',
}
const maxRules = 20_000
const maxProblems = 100
const maxOwners = 100
/** Longer paths do not exist on Linux. */
const maxPathLength = 4_096
/** For one path, which takes at most 0.1 s. Ordinary files take a few hundred. */
const maxComparisons = 5_000_000

/** How many comparisons of characters and names are left. */
export interface Budget {
  left: number
}

/**
 * Reads the text of a CODEOWNERS file. Never throws: invalid lines have no effect and are reported as problems.
 *
 * A file without sections follows the rules of GitHub. A file with sections follows those of GitLab: a rule without owners
 * has the default owners of its section, a malformed owner is ignored, `!` excludes files, and a path without a leading
 * slash matches in every folder. Character ranges (`[a-z]`) are invalid in both.
 *
 * A file over 3 MB has no rules. If there are more than 20,000 rules, only the last 20,000 count: they override the others.
 */
export function readCodeowners(text: string): Codeowners {
  if (Buffer.byteLength(text) > maxCodeownersBytes) {
    return { hasSections: false, rules: [], problems: [tooLarge], rulesByKey: new Map() }
  }
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const hasSections = lines.some(isHeading)
  const problems: CodeownersProblem[] = []
  const report = (line: number, message: string) => {
    if (problems.length < maxProblems) problems.push({ line, message })
  }
  const { entries, count } = readEntries(lines, hasSections, report)
  const rules = entries.map(({ text, ...entry }): Rule => ({ ...entry, pattern: readPathPattern(text, hasSections) }))
  if (count > maxRules) {
    const message = `The file has ${count} rules. Only the last ${maxRules} count, from line ${rules[0]?.line} on.`
    problems.unshift({ line: null, message })
  }
  return {
    hasSections,
    rules,
    problems,
    rulesByKey: Map.groupBy(rules.keys(), (index) => rules[index]?.pattern.key ?? ''),
  }
}

/** Returns the last 20,000 rules and the number of all rules. */
function readEntries(
  lines: readonly string[],
  hasSections: boolean,
  report: (line: number, message: string) => void,
): { entries: Entry[]; count: number } {
  const entries: Entry[] = []
  let count = 0
  let [section, defaults]: [string, readonly string[]] = ['', []]
  for (const [index, text] of lines.entries()) {
    const read = readLine(text, hasSections)
    const line = index + 1
    if (read.kind === 'bad') report(line, read.message)
    if (read.kind === 'bad' || read.kind === 'nothing') continue
    if (read.badOwner !== null) {
      const message = `\`${read.badOwner.slice(0, 100)}\` is no owner. Write \`@user\`, \`@org/team\` or an e-mail address.`
      report(line, hasSections ? message : `${message} The line has no effect.`)
      if (!hasSections) continue
    }
    if (read.kind === 'heading') {
      ;[section, defaults] = [read.section, read.owners]
      continue
    }
    const { pattern, isExclusion } = read
    const owners = isExclusion ? [] : read.owners.length > 0 ? read.owners : defaults
    count += 1
    entries.push({ line, text: pattern, owners, section, isExclusion })
    // Millions of rules would need much memory.
    if (entries.length >= 2 * maxRules) entries.splice(0, maxRules)
  }
  return { entries: entries.slice(-maxRules), count }
}

/**
 * Returns the owners of a path, which is relative to the root of the repository. The last rule that matches decides. In a
 * file with sections, the last matching rule of each section decides, and the result joins the owners of all sections,
 * required and optional alike.
 *
 * @param budget - for many paths together; when it is spent, no path has owners
 * @returns null if no rule matches, or if the patterns are too expensive to match. At most 100 owners; none if the rule
 *   that decides has none. `line` is that of the last rule that decides.
 */
export function ownersOf(
  codeowners: Codeowners,
  path: string,
  budget: Budget = { left: maxComparisons },
): { owners: string[]; line: number } | null {
  if (path.length > maxPathLength || budget.left < 0) return null
  const split = splitPath(path, budget)
  const positions = [...keysOf(split)].flatMap((key) => codeowners.rulesByKey.get(key) ?? [])
  const deciding = new Map<string, Rule>()
  for (const position of positions.toSorted((one, other) => other - one)) {
    const rule = codeowners.rules[position]
    if (!rule || (deciding.has(rule.section) && !rule.isExclusion)) continue
    const isMatch = matchesPath(rule.pattern, split)
    if (split.budget.left < 0) return null
    if (!isMatch) continue
    deciding.set(rule.section, rule)
    if (!codeowners.hasSections) break
  }
  const [last, ...others] = [...deciding.values()].toSorted((one, other) => other.line - one.line)
  if (!last) return null
  const owners = [...others.toReversed(), last].flatMap((rule) => rule.owners)
  return { owners: [...new Set(owners)].slice(0, maxOwners), line: last.line }
}
