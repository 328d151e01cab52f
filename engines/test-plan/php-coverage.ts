import { posix } from 'node:path'
import { UnreadableManifest } from '../manifests/manifest.ts'
import { table, text, texts } from '../manifests/values.ts'
import { child, parseXml } from '../manifests/xml.ts'
import { testRole } from '../test-names/roles.ts'
import type { Folder } from './folder.ts'
import { readJson } from './folder.ts'

/** Nobody names more by hand. */
const maxNamed = 200
/** More make the command too long. */
const maxFilters = 50

/**
 * Returns the files and folders to measure where the configuration of PHPUnit names none, because PHPUnit then measures
 * nothing: those that composer.json loads, without tests.
 *
 * @param configuration - the path of the configuration; undefined if there is none
 */
export async function coverageFilters(folder: Folder, configuration: string | undefined): Promise<string[]> {
  const source = configuration === undefined ? null : await folder.read(configuration)
  // A configuration that is elsewhere may name some.
  if (configuration !== undefined && (source === null || hasFilter(source))) return []
  const json = await readJson(folder, 'composer.json')
  const vendor = text(table(json?.config)['vendor-dir']) ?? 'vendor'
  const { 'psr-4': psr4, 'psr-0': psr0, classmap, files } = table(json?.autoload)
  const named = [...Object.values(table(psr4)), ...Object.values(table(psr0)), classmap, files].flatMap((value) =>
    typeof value === 'string' ? [value] : texts(value),
  )
  const paths = new Set(named.slice(0, maxNamed).map((path) => posix.normalize(path).replace(/\/$/, '')))
  const isRoot = paths.delete('.')
  const sources = folder.paths.filter(
    (path) => path.endsWith('.php') && testRole(path) === undefined && !path.startsWith(`${vendor}/`),
  )
  // Classes are in files and folders that are named like them. Other folders hold examples, scripts and the like.
  const atRoot = isRoot
    ? sources.flatMap((path) => /^(?!\.)[^/]+$/.exec(path)?.[0] ?? /^[A-Z]\w*(?=\/)/.exec(path)?.[0] ?? [])
    : []
  const below = [...paths].filter((path) => sources.some((file) => file === path || file.startsWith(`${path}/`)))
  return [...new Set([...atRoot, ...below])].filter((path) => /^[\w./-]+$/.test(path)).slice(0, maxFilters)
}

/** PHPUnit 10 reads `source`, version 9 `coverage`, older versions `filter`. A file that is not XML may have one. */
function hasFilter(configuration: string): boolean {
  try {
    const root = parseXml(configuration)
    const lists = [
      child(child(root, 'source'), 'include'),
      child(child(root, 'coverage'), 'include'),
      child(child(root, 'filter'), 'whitelist'),
    ]
    return lists.some((list) => list !== undefined && list.children.length > 0)
  } catch (error) {
    if (error instanceof UnreadableManifest) return true
    throw error
  }
}
