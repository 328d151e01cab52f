import { posix } from 'node:path'
import { detectLanguage } from '../languages/detect.ts'
import { testRole } from '../test-names/roles.ts'
import { testsByName } from '../test-names/named-sources.ts'
import { countRanges, parseRanges } from '../coverage/ranges.ts'
import type { Measured, TestFile } from './outcome.ts'
import type { VerificationTarget } from './schema.ts'

/**
 * Infers the file that a test tests: a file that it imports or is named after, and reaches; else a file that it imports
 * but never runs, perhaps because it mocks it. Returns null if there is no such file.
 *
 * @param alone - the coverage of the test alone; null if it was not measured
 */
export function inferTarget(
  test: TestFile,
  paths: readonly string[],
  alone: Measured | null,
): VerificationTarget | null {
  const imports = importedBy(test)
  const reached = (path: string) => (alone === null ? 1 : countRanges(parseRanges(alone.files[path]?.covered ?? '')))
  const candidates = paths.filter(
    (path) => path !== test.path && testRole(path, detectLanguage(path, null)) === undefined,
  )
  const sources = candidates.filter((path) => reached(path) > 0)
  const named = testsByName(sources, [test.path])
  const best = sources
    .map((path) => ({ path, worth: (imports(path) ? 4 : 0) + (named.has(path) ? 2 : 0), lines: reached(path) }))
    .filter(({ worth }) => worth > 0)
    .toSorted((a, b) => b.worth - a.worth || b.lines - a.lines || (a.path < b.path ? -1 : 1))[0]
  const path = best?.path ?? candidates.find(imports)
  return path === undefined ? null : { path }
}

/** Returns a function that tells whether a file imports another one, by the text of its imports. */
export function importedBy({ path, code }: TestFile): (source: string) => boolean {
  const folder = posix.dirname(path)
  if (path.endsWith('.go')) {
    const packages = [...code.matchAll(/"([\w./-]+)"/g)].map(([, name = '']) => name)
    return (source) => {
      const own = posix.dirname(source)
      return source.endsWith('.go') && (own === folder || packages.some((name) => name.endsWith(`/${own}`)))
    }
  }
  if (path.endsWith('.py')) {
    const modules = pythonModules(code).map((name) => name.replaceAll('.', '/'))
    return (source) => {
      const module = source.replace(/(?:\/__init__)?\.py$/, '')
      return source.endsWith('.py') && modules.some((name) => module === name || module.endsWith(`/${name}`))
    }
  }
  const specifiers = [...code.matchAll(/(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*['"]([^'"\n]+)['"]/g)].map(
    ([, specifier = '']) => plain(specifier.startsWith('.') ? posix.join(folder, specifier) : specifier),
  )
  return (source) => {
    const module = plain(source)
    return specifiers.some((name) => module === name || module.endsWith(`/${name.replace(/^[@~#]?\//, '')}`))
  }
}

function pythonModules(code: string): string[] {
  const found = [...code.matchAll(/^[ \t]*import[ \t]+([\w.]+(?:[ \t]*,[ \t]*[\w.]+)*)/gm)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  )
  for (const [, module = '', names = ''] of code.matchAll(
    /^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)?|[^\n]*)/gm,
  )) {
    const base = module.replace(/^\.+/, '')
    const members = names.replace(/[()\\]/g, ' ').split(',')
    found.push(base, ...members.map((name) => [base, name.trim().split(/\s/)[0]].filter(Boolean).join('.')))
  }
  return found.filter((name) => /^\w/.test(name))
}

/** Removes the parts of a path that an import may omit. */
const plain = (path: string) => path.replace(/\.(?:d\.)?[cm]?[jt]sx?$/, '').replace(/\/index$/, '')
