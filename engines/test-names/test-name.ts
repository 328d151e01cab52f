import { posix } from 'node:path'
import { conventionFor } from './conventions.ts'

/** The marks of a test's file name around the name of its source: `test_` and nothing, or nothing and `.spec`. */
export interface Affix {
  prefix: string
  suffix: string
}

/** Splits a test's file name. Both marks are empty for a name that does not show a test. */
export function readTestName(path: string): { stem: string; affix: Affix } {
  const { base, name } = posix.parse(path)
  for (const pattern of conventionFor(path).names) {
    const match = pattern.exec(base)
    const [start, end] = match?.indices?.groups?.['stem'] ?? []
    if (start === undefined || end === undefined) continue
    return { stem: base.slice(start, end), affix: { prefix: base.slice(0, start), suffix: name.slice(end) } }
  }
  return { stem: name, affix: { prefix: '', suffix: '' } }
}

export const isNamed = ({ prefix, suffix }: Affix) => prefix !== '' || suffix !== ''

/** Treats `HTTPClient`, `http-client` and `http_client` as the same name. */
export const normalizeName = (name: string) =>
  // Nearly all names are ASCII, for which the short expression says the same in a fraction of the time.
  isAscii.test(name) ? name.toLowerCase().replace(/[^a-z0-9]/g, '') : name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

const isAscii = /^[ -~]*$/

/** Identifies the source of a test in any spelling: the same for `auth/basic.rb` and `spec_auth_basic.rb`. */
export const testKey = (path: string) => normalizeName(readTestName(path).stem)

const folderFiles = new Set(['index', 'init', 'mod'])

/** The keys of the tests of a file, its own name first. An index file is also known by its folder. */
export function subjectKeys(path: string): string[] {
  const { dir, name } = posix.parse(path)
  const folders = dir.split('/').slice(-2).map(normalizeName)
  const own = normalizeName(name)
  const joined = [folders.slice(-1), folders].map((part) => part.join(''))
  const keys = [own, ...joined.map((part) => part + own), ...(folderFiles.has(own) ? joined : [])]
  return [...new Set(keys)].filter((key) => key !== '')
}

export type Casing = 'same' | 'kebab' | 'snake'

/** How a test's name spells the name of its source: `string-utils.test.ts` tests `StringUtils.ts`. */
export function casingOf(sourcePath: string, stem: string): Casing | undefined {
  const { name } = posix.parse(sourcePath)
  if (inCase(name, 'kebab') === inCase(name, 'snake')) return undefined
  return (['same', 'kebab', 'snake'] as const).find((casing) => inCase(name, casing) === stem)
}

export function inCase(name: string, casing: Casing): string {
  if (casing === 'same') return name
  return splitCamelCase(name).replace(/[-_ ]+/g, casing === 'kebab' ? '-' : '_').toLowerCase() // prettier-ignore
}

/** `parseURLPart` as `parse URL Part`. */
export const splitCamelCase = (name: string) =>
  name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
