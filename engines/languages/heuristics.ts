import { catalogue, longestExtension, readData } from './catalogue.ts'
import type { ContentRule } from './linguist/schema.ts'

interface Rule {
  languages: number[]
  /** Some pattern of each `any`, and no pattern of any `none`, must be found. */
  all: { found: boolean; patterns: RegExp[] }[]
}

interface Group {
  rules: Rule[]
  extension: string
  /** No pattern repeats anything, so that no text is too much for it. */
  linear: boolean
}

let sources: Map<string, ContentRule[]> | undefined
const compiled = new Map<string, Group>()

/** The rules that tell the languages of one extension apart by content, compiled when first asked for. */
export function heuristicsFor(name: string): Group | undefined {
  sources ??= new Map(
    readData('heuristics.json').flatMap(({ extensions, rules }) =>
      extensions.map((extension): [string, ContentRule[]] => [extension, rules]),
    ),
  )
  return longestExtension(name, (extension) => {
    const rules = sources?.get(extension)
    if (!rules) return undefined
    let group = compiled.get(extension)
    if (!group) {
      group = compile(extension, rules)
      compiled.set(extension, group)
    }
    return group
  })
}

/** The extensions that have rules. */
export function heuristicExtensions(): string[] {
  return readData('heuristics.json').flatMap(({ extensions }) => extensions)
}

/** Languages that have a rule, which is to say that it did not hold when they are still in question. */
export function refuted(group: Group): Set<number> {
  return new Set(group.rules.flatMap(({ languages }) => languages))
}

/** What the rules come down to when none of the conditions holds; empty where they leave it open. */
export function otherwise(group: Group): number[] {
  return group.rules.find(({ all }) => all.length === 0)?.languages ?? []
}

/** Languages of the first rule that holds for the text; none where no rule does. */
export function applyHeuristics(group: Group, text: string): number[] {
  const rule = group.rules.find(({ all }) =>
    all.every(({ found, patterns }) => patterns.some((pattern) => pattern.test(text)) === found),
  )
  return rule?.languages ?? []
}

function compile(extension: string, rules: ContentRule[]): Group {
  const { positions } = catalogue()
  return {
    extension,
    linear: !rules.some(({ all }) => all.some(({ any, none }) => (any ?? none ?? []).some(repeats))),
    rules: rules.map((rule) => ({
      languages: rule.languages.flatMap((name) => positions.get(name) ?? []),
      all: rule.all.map(({ any, none }) => ({
        found: any !== undefined,
        patterns: (any ?? none ?? []).map((source) => new RegExp(source, 'm')),
      })),
    })),
  }
}

function repeats(source: string): boolean {
  return /[*+]|\{\d+,\}/.test(source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/g, ''))
}
