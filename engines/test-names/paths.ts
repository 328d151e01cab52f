import { posix } from 'node:path'

/** The folder of a path, empty at the root. */
export const folderOf = (path: string) => posix.dirname(path).replace(/^\.$/, '')

export const segmentsOf = (folder: string) => (folder === '' ? [] : folder.split('/'))

/** Whether a folder is another one or lies below it. */
export const isWithin = (folder: string, outer: string) =>
  outer === '' || folder === outer || folder.startsWith(`${outer}/`)

/** In lower case and without the dot; empty for a name without one. */
export const extensionOf = (path: string) => posix.extname(path).slice(1).toLowerCase()

/** The innermost package that a file is in; empty for the repository itself. */
export function packageOf(path: string, packages: ReadonlySet<string>): string {
  let folder = folderOf(path)
  while (folder !== '' && !packages.has(folder)) folder = folderOf(folder)
  return folder
}

/** The name of a Python module, or of its package for `__init__.py`, as an identifier. */
export function moduleName(path: string): string {
  const { dir, name } = posix.parse(path)
  const own = name === '__init__' && dir !== '' ? posix.basename(dir) : name.replace(/^_+(?=.)/, '')
  return own.replace(/[^\p{L}\p{N}_]/gu, '_')
}
