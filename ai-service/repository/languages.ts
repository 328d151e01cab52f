/** Languages with templates for tests; `other` gets an outline in comments. */
export type Language =
  | 'typescript'
  | 'javascript'
  | 'python'
  | 'go'
  | 'java'
  | 'ruby'
  | 'rust'
  | 'php'
  | 'csharp'
  | 'other'

const byName: Record<string, Language> = {
  TypeScript: 'typescript',
  TSX: 'typescript',
  JavaScript: 'javascript',
  Python: 'python',
  Go: 'go',
  Java: 'java',
  Ruby: 'ruby',
  Rust: 'rust',
  PHP: 'php',
  'C#': 'csharp',
  Kotlin: 'other',
  Scala: 'other',
  Swift: 'other',
  Dart: 'other',
  C: 'other',
  'C++': 'other',
  'Objective-C': 'other',
  Groovy: 'other',
  Elixir: 'other',
  Vue: 'other',
  Svelte: 'other',
}

const byExtension: Record<string, Language> = {
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  py: 'python',
  go: 'go',
  java: 'java',
  rb: 'ruby',
  rs: 'rust',
  php: 'php',
  cs: 'csharp',
}

/** The extension decides, so that the test fits the file. Linguist's name helps if the extension is unknown. */
export function languageOf(path: string, linguistName: string | undefined): Language | undefined {
  const extension = /\.([A-Za-z]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return lookUp(byExtension, extension) ?? lookUp(byName, linguistName ?? '')
}

/** The name of a language on GitHub; undefined for `other`. */
export const linguistNameOf = (language: Language) =>
  language === 'other' ? undefined : Object.keys(byName).find((name) => byName[name] === language)

/** The language of this name or id, in any case. */
export function languageNamed(name: string): Language | undefined {
  const wanted = name.toLowerCase()
  return Object.entries(byName).find(([known, id]) => known.toLowerCase() === wanted || id === wanted)?.[1]
}

/** Untrusted names may be `constructor`. */
const lookUp = (table: Record<string, Language>, key: string) => (Object.hasOwn(table, key) ? table[key] : undefined)
