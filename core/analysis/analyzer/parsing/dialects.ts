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
