import { posix } from 'node:path'
import type { FileTag } from '../../languages/schema.ts'
import type { FileRecord } from '../types.ts'
import { language } from '../../parsing/receivers.ts'
import type { FileFacts } from '../../parsing/types.ts'

/** One tracked file as graph and ranking see it. */
export interface SourceFile {
  path: string
  language: string
  tags?: readonly FileTag[] | undefined
  record?: FileRecord | undefined
}

/** Look-ups over the files of one repository state. A file is known by its position in `files`. */
export class SourceTree {
  readonly files: readonly SourceFile[]
  /** Text of the manifests and configuration files that resolution needs, by path. */
  readonly manifests: ReadonlyMap<string, string>
  readonly #ids = new Map<string, number>()
  readonly #directories = new Map<string, number[]>()
  readonly #references = new Map<number, ReadonlySet<string>>()

  constructor(files: readonly SourceFile[], manifests: ReadonlyMap<string, string> = new Map()) {
    this.files = files
    this.manifests = manifests
    for (const [id, file] of files.entries()) {
      this.#ids.set(file.path, id)
      const directory = directoryOf(file.path)
      const siblings = this.#directories.get(directory)
      if (siblings) siblings.push(id)
      else this.#directories.set(directory, [id])
    }
  }

  idOf(path: string): number | undefined {
    return this.#ids.get(path)
  }

  pathOf(id: number): string {
    return this.files[id]?.path ?? ''
  }

  facts(id: number): FileFacts | undefined {
    return this.files[id]?.record?.facts
  }

  isTest(id: number): boolean {
    return this.files[id]?.tags?.includes('test') === true
  }

  /** The names that a file refers to, without members of the language's own values: `stringify` of `JSON.stringify`. */
  references(id: number): ReadonlySet<string> {
    let names = this.#references.get(id)
    if (!names) {
      const { references = [], receivers } = this.facts(id) ?? {}
      names = new Set(receivers ? references.filter((_, at) => !isOfLanguage(receivers[at])) : references)
      this.#references.set(id, names)
    }
    return names
  }

  /** The names of all folders, without the ones around them. */
  folderNames(): Set<string> {
    const folders = new Set<string>()
    for (const directory of this.#directories.keys()) {
      for (const folder of ancestors(directory)) {
        if (folders.has(folder)) break
        folders.add(folder)
      }
    }
    return new Set([...folders].map(baseName))
  }

  /** Files directly inside; the root is ''. */
  inDirectory(directory: string): readonly number[] {
    return this.#directories.get(directory) ?? []
  }

  hasDirectory(directory: string): boolean {
    return this.#directories.has(directory)
  }
}

const isOfLanguage = (origins: readonly string[] | null | undefined) => origins?.length === 1 && origins[0] === language

export function directoryOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash === -1 ? '' : path.slice(0, slash)
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Repository path of `relative` seen from `directory`; undefined where that leaves the repository. */
export function joinPath(directory: string, relative: string): string | undefined {
  if (relative.startsWith('/') || relative.includes('\0')) return undefined
  const joined = posix.join(directory, relative)
  if (joined === '.' || joined === './') return ''
  if (joined === '..' || joined.startsWith('../')) return undefined
  return joined.endsWith('/') ? joined.slice(0, -1) : joined
}

/** The directory itself, then each one around it, the root ('') last. */
export function* ancestors(directory: string): Iterable<string> {
  let current = directory
  while (current !== '') {
    yield current
    current = directoryOf(current)
  }
  yield ''
}

/** How many leading segments two directories share. */
export function sharedSegments(a: string, b: string): number {
  let shared = 0
  for (let at = 0; ; at += 1) {
    const left = at < a.length ? a[at] : '/'
    const right = at < b.length ? b[at] : '/'
    if (left !== right) return shared
    if (left !== '/') continue
    shared += 1
    if (at >= a.length || at >= b.length) return shared
  }
}
