import { readFileSync } from 'node:fs'
import type { HeuristicsFile, LanguagesFile, PathsFile } from './linguist/schema.ts'

/** A language as linguist knows it. */
export interface Language {
  name: string
  type: 'data' | 'markup' | 'programming' | 'prose'
  /** The language that this one counts with: TypeScript for TSX. */
  group: string | undefined
}

interface DataFiles {
  'languages.json': LanguagesFile
  'heuristics.json': HeuristicsFile
  'paths.json': PathsFile
}

interface Catalogue {
  languages: Language[]
  extensions: Map<string, number[]>
  filenames: Map<string, number[]>
  interpreters: Map<string, number[]>
  aliases: Map<string, number[]>
  positions: Map<string, number>
}

let loaded: Catalogue | undefined

/** All languages and the names that point to them, read once. Languages are handed around as their position. */
export function catalogue(): Catalogue {
  loaded ??= load()
  return loaded
}

/** What linguist says of a language by its name; undefined for `Binary`, `Unknown` and names that it does not know. */
export function findLanguage(name: string): Language | undefined {
  const { positions, languages } = catalogue()
  const position = positions.get(name)
  return position === undefined ? undefined : languages[position]
}

/** Calls `visit` with every extension of a base name, the longest first: `.rs.in`, then `.in`. */
export function longestExtension<T>(name: string, visit: (extension: string) => T | undefined): T | undefined {
  const lower = name.toLowerCase()
  for (let dot = lower.indexOf('.'); dot >= 0; dot = lower.indexOf('.', dot + 1)) {
    const found = visit(lower.slice(dot))
    if (found !== undefined) return found
  }
  return undefined
}

function load(): Catalogue {
  const file = readData('languages.json')
  const languages = file.languages.map(([name = '', type, group]): Language => ({
    name,
    type: languageType(type),
    group,
  }))
  return {
    languages,
    extensions: new Map(Object.entries(file.extensions)),
    filenames: new Map(Object.entries(file.filenames)),
    interpreters: new Map(Object.entries(file.interpreters)),
    aliases: new Map(Object.entries(file.aliases)),
    positions: new Map(languages.map(({ name }, position) => [name, position])),
  }
}

function languageType(type: string | undefined): Language['type'] {
  return type === 'data' || type === 'markup' || type === 'prose' ? type : 'programming'
}

/** The files are ours, written by refresh.ts against the same types, so they are not checked again. */
export function readData<Name extends keyof DataFiles>(name: Name): DataFiles[Name] {
  return JSON.parse(readFileSync(new URL(`linguist/${name}`, import.meta.url), 'utf8')) as DataFiles[Name]
}
