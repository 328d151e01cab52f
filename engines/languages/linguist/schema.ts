/** Shapes of the JSON files beside, which `refresh.ts` writes. Languages are referred to by their position. */
export interface LanguagesFile {
  /** Name, type, and the language that this one counts with, where there is one. */
  languages: string[][]
  /** Lower case, with the dot. Here and below, languages that name the key first come first. */
  extensions: Record<string, number[]>
  filenames: Record<string, number[]>
  interpreters: Record<string, number[]>
  /** Lower case, names included. */
  aliases: Record<string, number[]>
}

/** First rule that holds decides; a rule without conditions always holds. */
export interface HeuristicGroup {
  extensions: string[]
  rules: ContentRule[]
}

export interface ContentRule {
  languages: string[]
  /** JavaScript regular expressions, to be compiled with the `m` flag. */
  all: ({ any: string[]; none?: undefined } | { none: string[]; any?: undefined })[]
}

export type HeuristicsFile = HeuristicGroup[]

/** Regular expressions over the whole path, to be compiled without flags. */
export interface PathsFile {
  vendored: string[]
  documentation: string[]
}
