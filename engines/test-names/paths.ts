import { posix } from 'node:path'

/** Returns the folder of a path; empty for the root. */
export const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')))

export const segmentsOf = (folder: string) => (folder === '' ? [] : folder.split('/'))

/** Whether a path equals a folder or is below it. */
export const isWithin = (folder: string, outer: string) =>
  outer === '' || (folder.startsWith(outer) && (folder.length === outer.length || folder[outer.length] === '/'))

/** Returns the extension in lower case without the dot; empty for a name without one. */
export const extensionOf = (path: string) => posix.extname(path).slice(1).toLowerCase()

/** Returns the innermost package that contains a file; empty for the repository itself. */
export const packageOf = (path: string, packages: ReadonlySet<string>) => packageAround(folderOf(path), packages)

/** Returns the innermost package that contains a folder, or is it. */
export function packageAround(folder: string, packages: ReadonlySet<string>): string {
  let around = folder
  while (around !== '' && !packages.has(around)) around = folderOf(around)
  return around
}

/** Returns the name of a Python module, or of its package for `__init__.py`, as an identifier. */
export function moduleName(path: string): string {
  const { dir, name } = posix.parse(path)
  const plain = name.startsWith('__') && name.endsWith('__') && name.length > 4 ? name.slice(2, -2) : name
  const own = name === '__init__' && dir !== '' ? posix.basename(dir) : plain.replace(/^_+(?=.)/, '')
  return own.replace(/[^\p{L}\p{N}_]/gu, '_')
}
