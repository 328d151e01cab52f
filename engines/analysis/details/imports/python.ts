import { posix } from 'node:path'
import { folderOf } from '../../../test-names/paths.ts'
import type { ImportWanted, TestedFiles } from '../tested-files.ts'

const identifier = /^[\p{L}_][\p{L}\p{N}_]*$/u

/** Returns the import by the dotted name of the module, or by the package that the tests nearby import the name from. */
export function pythonImport(wanted: ImportWanted, files: TestedFiles): string | undefined {
  const { path, root, styleTests } = wanted
  if (!identifier.test(root)) return undefined
  const packages = new Set(packagesOf(path, files))
  for (const test of styleTests) {
    const facts = files.facts(test)
    const same = facts?.imports.find(({ specifier, names }) => names.includes(root) && packages.has(specifier))
    if (same) return `from ${same.specifier} import ${root}`
  }
  const module = moduleOf(path, files)
  return module === undefined ? undefined : `from ${module} import ${root}`
}

/** The names by which a module and the packages around it are imported: `shop.cart.items`, `shop.cart`, `shop`. */
function packagesOf(path: string, files: TestedFiles): string[] {
  const parts = moduleOf(path, files)?.split('.') ?? []
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('.'))
}

/** The dotted name of a module from its source root: the folder around the outermost package. */
function moduleOf(path: string, files: TestedFiles): string | undefined {
  const { name } = posix.parse(path)
  const folder = folderOf(path)
  const parts = [...partsBelow(sourceRoot(folder, files), folder), ...(name === '__init__' ? [] : [name])]
  return parts.length > 0 && parts.every((part) => identifier.test(part)) ? parts.join('.') : undefined
}

function sourceRoot(folder: string, files: TestedFiles): string {
  let root = folder
  while (root !== '' && files.has(`${root}/__init__.py`)) root = folderOf(root)
  if (root !== folder || root === '') return root
  // Without packages, the usual source folders or that of the manifest are the root.
  const segments = folder.split('/')
  const source = segments.findLastIndex((segment) => segment === 'src' || segment === 'lib')
  if (source !== -1) return segments.slice(0, source + 1).join('/')
  return files.manifestAround(`${folder}/x.py`, 'pyproject.toml')?.folder ?? ''
}

const partsBelow = (root: string, folder: string): string[] =>
  folder === root ? [] : folder.slice(root === '' ? 0 : root.length + 1).split('/')
