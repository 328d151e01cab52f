/** The languages whose tests can be selected. */
export type Family = 'javascript' | 'python' | 'go'

const families: Readonly<Record<string, Family>> = {
  JavaScript: 'javascript',
  TypeScript: 'javascript',
  TSX: 'javascript',
  Vue: 'javascript',
  Svelte: 'javascript',
  Python: 'python',
  Go: 'go',
}

export const familyOf = (language: string): Family | undefined =>
  Object.hasOwn(families, language) ? families[language] : undefined

/** By the name alone, for files that are gone. */
export function familyOfPath(path: string): Family | undefined {
  if (/\.(?:[cm]?[jt]sx?|vue|svelte)$/.test(path)) return 'javascript'
  if (/\.pyi?$/.test(path)) return 'python'
  return path.endsWith('.go') ? 'go' : undefined
}

/** The runners that can run some of the test files. */
const runners: Readonly<Record<Family, ReadonlySet<string>>> = {
  javascript: new Set(['vitest', 'jest', 'mocha', 'node:test', 'borp']),
  python: new Set(['pytest', 'unittest']),
  go: new Set(['go test']),
}

/** Undefined if the tests of a part cannot be selected. */
export function familyOfPart({ ecosystem, framework }: { ecosystem: string; framework: string }): Family | undefined {
  const family = ecosystem === 'javascript' || ecosystem === 'python' || ecosystem === 'go' ? ecosystem : undefined
  return family && runners[family].has(framework) ? family : undefined
}
