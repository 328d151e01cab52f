import { parseJson } from '../manifests/npm.ts'
import type { Table } from '../manifests/values.ts'
import { table } from '../manifests/values.ts'
import { UnreadableManifest } from '../manifests/manifest.ts'
import type { SourceTree } from './plan.ts'
import { PlanError } from './plan.ts'

/** A folder of the commit, which a plan is made for. Paths are relative to it. */
export interface Folder {
  /** Relative to the repository; empty for the repository itself. */
  directory: string
  paths: readonly string[]
  has(path: string): boolean
  read(path: string): Promise<string | null>
  /** The nearest of the files of these names in the folder or above it, relative to the repository. */
  nearest(...names: string[]): string | undefined
  /** Contents of a file by its path in the repository. */
  readFromRoot(path: string): Promise<string | null>
  /** The path of one of this folder's files in the repository. */
  inRepository(path: string): string
}

const pathSets = new WeakMap<SourceTree, ReadonlySet<string>>()

/** A monorepo opens many folders of the same tree. */
function pathsOf(tree: SourceTree): ReadonlySet<string> {
  const known = pathSets.get(tree)
  if (known) return known
  const paths = new Set(tree.paths)
  pathSets.set(tree, paths)
  return paths
}

export function openFolder(tree: SourceTree, directory: string): Folder {
  const prefix = directory === '' ? '' : `${directory}/`
  const all = pathsOf(tree)
  return {
    directory,
    paths: prefix === '' ? tree.paths : within(tree.paths, prefix),
    has: (path) => all.has(prefix + path),
    read: (path) => (all.has(prefix + path) ? tree.read(prefix + path) : Promise.resolve(null)),
    nearest: (...names) =>
      foldersUpwards(directory)
        .flatMap((folder) => names.map((name) => (folder === '' ? name : `${folder}/${name}`)))
        .find((path) => all.has(path)),
    readFromRoot: (path) => (all.has(path) ? tree.read(path) : Promise.resolve(null)),
    inRepository: (path) => prefix + path,
  }
}

/** Returns the parsed file; null if there is no such file. @throws PlanError for a file that cannot be parsed */
export async function readManifest<T>(folder: Folder, path: string, parse: (source: string) => T): Promise<T | null> {
  const source = await folder.read(path)
  if (source === null) return null
  try {
    return parse(source)
  } catch (error) {
    // Parsers are recursive, so a file with thousands of nested levels exhausts the stack.
    if (error instanceof RangeError) throw unreadable(folder, path, 'is nested too deeply')
    if (error instanceof UnreadableManifest) throw unreadable(folder, path, error.message)
    throw error
  }
}

export function readJson(folder: Folder, path: string): Promise<Table | null> {
  return readManifest(folder, path, (source) => table(parseJson(source)))
}

function unreadable(folder: Folder, path: string, problem: string): PlanError {
  const hint = 'Correct the file, or set how to run the tests in the settings "installCommand" and "testCommand".'
  return new PlanError('nothing_detected', `${folder.inRepository(path)} ${problem}. ${hint}`)
}

function within(paths: readonly string[], prefix: string): string[] {
  return paths.flatMap((path) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : []))
}

function foldersUpwards(directory: string): string[] {
  const parts = directory === '' ? [] : directory.split('/')
  return [...parts.keys(), parts.length].map((count) => parts.slice(0, count).join('/')).toReversed()
}

/** Removes a comment that begins with a hash at the beginning of a word. */
export function withoutComment(line: string): string {
  const start = line.search(/(?:^|\s)#/)
  return start === -1 ? line : line.slice(0, start)
}
