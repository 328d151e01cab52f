import { ancestors, baseName, directoryOf } from './paths.ts'

/** Look-ups over the paths of one repository state. A file is known by its position in `all`. */
export class FilePaths {
  readonly all: readonly string[]
  /** Text of the manifests and configuration files that resolution needs, by path. */
  readonly manifests: ReadonlyMap<string, string>
  readonly #ids = new Map<string, number>()
  readonly #directories = new Map<string, number[]>()

  constructor(all: readonly string[], manifests: ReadonlyMap<string, string>) {
    this.all = all
    this.manifests = manifests
    for (const [id, path] of all.entries()) {
      this.#ids.set(path, id)
      const directory = directoryOf(path)
      const siblings = this.#directories.get(directory)
      if (siblings) siblings.push(id)
      else this.#directories.set(directory, [id])
    }
  }

  idOf(path: string): number | undefined {
    return this.#ids.get(path)
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

let latest: FilePaths | undefined

/**
 * Returns the same object as the last time for the same paths and manifests: most commits change neither, and what follows
 * from them alone is known then. Such things are remembered by this object.
 */
export function filePaths(all: readonly string[], manifests: ReadonlyMap<string, string>): FilePaths {
  if (!latest || !sameTexts(latest.all, all) || !sameManifests(latest.manifests, manifests)) {
    latest = new FilePaths(all, manifests)
  }
  return latest
}

const sameTexts = (before: readonly string[], now: readonly string[]) =>
  before.length === now.length && before.every((text, index) => text === now[index])

function sameManifests(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): boolean {
  return before.size === now.size && [...now].every(([path, text]) => before.get(path) === text)
}
