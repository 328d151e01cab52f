import type { GrammarName } from './grammars/index.ts'
import type { JavaScriptDialect } from './javascript/parse-javascript.ts'

/** How a file is read. Components are read for their scripts. */
export type Dialect = JavaScriptDialect | 'component' | GrammarName

const byLanguage: ReadonlyMap<string, Dialect> = new Map<string, Dialect>([
  ['JavaScript', 'jsx'],
  ['TypeScript', 'ts'],
  ['TSX', 'tsx'],
  ['Vue', 'component'],
  ['Svelte', 'component'],
  ['Python', 'python'],
  ['Go', 'go'],
  ['Java', 'java'],
  ['Ruby', 'ruby'],
  ['Rust', 'rust'],
  ['PHP', 'php'],
  ['C#', 'c-sharp'],
])

/** Undefined for languages that have no parser here. */
export function dialectOf(language: string, path: string): Dialect | undefined {
  const dialect = byLanguage.get(language)
  return dialect === 'ts' && /\.d\.[cm]?ts$/.test(path) ? 'dts' : dialect
}

const javaScript: ReadonlySet<Dialect> = new Set<Dialect>(['js', 'jsx', 'ts', 'tsx', 'dts', 'component'])

/** Read by tree-sitter, with the grammar of this name; the others are JavaScript's and read by oxc. */
export function isGrammar(dialect: Dialect): dialect is GrammarName {
  return !javaScript.has(dialect)
}

const byExtension: ReadonlyMap<string, Dialect> = new Map<string, Dialect>([
  ['js', 'jsx'],
  ['ts', 'ts'],
  ['tsx', 'tsx'],
  ['py', 'python'],
  ['go', 'go'],
  ['java', 'java'],
  ['rb', 'ruby'],
  ['rs', 'rust'],
  ['php', 'php'],
  ['cs', 'c-sharp'],
])

/** Dialects that some of the files look like, for getting their parsers ready before anything has been read. */
export function likelyDialects(paths: readonly string[]): Dialect[] {
  const dialects = new Set<Dialect>()
  for (const path of paths) {
    const dialect = byExtension.get(path.slice(path.lastIndexOf('.') + 1))
    if (dialect) dialects.add(dialect)
  }
  return [...dialects]
}
