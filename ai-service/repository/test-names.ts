import { posix } from 'node:path'

/** What a test's file name has around its subject's: `test_` and nothing, or nothing and `.spec`. */
export interface Affix {
  prefix: string
  suffix: string
}

const suffixes = /^(?<stem>.+?)(?<suffix>[._-](?:tests?|spec|e2e|cy)|(?<=[A-Za-z0-9])(?:Tests?|Spec)|(?<=[a-z0-9])IT)$/
const prefixes = /^(?<prefix>(?:test|spec)[_-]|Test(?=[A-Z]))(?<stem>.+)$/

/** Takes a test's file name apart; the affix is empty where the name does not tell that it is a test. */
export function readTestName(path: string): { stem: string; affix: Affix } {
  const { name } = posix.parse(path)
  const ending = suffixes.exec(name)?.groups
  if (ending) return { stem: ending['stem'] ?? name, affix: { prefix: '', suffix: ending['suffix'] ?? '' } }
  const start = prefixes.exec(name)?.groups
  if (start) return { stem: start['stem'] ?? name, affix: { prefix: start['prefix'] ?? '', suffix: '' } }
  return { stem: name, affix: { prefix: '', suffix: '' } }
}

const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** By which a test is told to be about a file, however both are spelled: `auth/basic.rb` and `spec_auth_basic.rb`. */
export const testKey = (path: string) => plain(readTestName(path).stem)

const folderFiles = new Set(['index', 'init', 'mod'])

/** The keys of the tests that are about a file, its own name first; an index is also known by its folder. */
export function subjectKeys(path: string): string[] {
  const { dir, name } = posix.parse(path)
  const folders = dir.split('/').slice(-2).map(plain)
  const own = plain(name)
  const joined = [folders.slice(-1), folders].map((part) => part.join(''))
  const keys = [own, ...joined.map((part) => part + own), ...(folderFiles.has(own) ? joined : [])]
  return [...new Set(keys)].filter((key) => key !== '')
}

export type Casing = 'same' | 'kebab' | 'snake'

/** How a test's name spells its subject's: `StringUtils.ts` may be tested by `string-utils.test.ts`. */
export function casingOf(sourcePath: string, stem: string): Casing | undefined {
  const { name } = posix.parse(sourcePath)
  if (inCase(name, 'kebab') === inCase(name, 'snake')) return undefined
  return (['same', 'kebab', 'snake'] as const).find((casing) => inCase(name, casing) === stem)
}

export function inCase(name: string, casing: Casing): string {
  if (casing === 'same') return name
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
  return words.replace(/[-_]+/g, casing === 'kebab' ? '-' : '_').toLowerCase()
}
