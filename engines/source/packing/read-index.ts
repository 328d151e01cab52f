import { RepositoryError } from '../types.ts'
import { pathText } from '../path-text.ts'
import { namesOf, TopFolders } from '../too-large.ts'
import { nulExchange, inTree, type StagingArea } from './staging-area.ts'

export interface Submodule {
  name: Buffer
  /** The commit that the index has for it. */
  commitSha: string
}

/** Counts files of the tree and refuses it beyond the limit, naming the folders with most of them. */
export class TreeCounter {
  files = 0
  readonly #maxFiles: number
  readonly #onFiles: ((files: number) => void) | undefined
  readonly #folders = new TopFolders()

  constructor(maxFiles: number, onFiles?: (files: number) => void) {
    this.#maxFiles = maxFiles
    this.#onFiles = onFiles
  }

  add(name: Buffer): void {
    this.files++
    this.#folders.add(name)
    if (this.files % reportEvery === 0) this.#onFiles?.(this.files)
    if (this.files <= this.#maxFiles) return
    throw new RepositoryError(
      'too_large',
      `The working tree has more than ${this.#maxFiles.toLocaleString('en')} files that git does not ignore, most of ` +
        `them in ${String(this.#folders)}. Add folders that tests do not need to .gitignore.`,
    )
  }

  done(): void {
    this.#onFiles?.(this.files)
  }
}

const reportEvery = 1_000
const submoduleMode = '160000'

/**
 * Reads the index before anything is staged, and returns the submodules in it.
 *
 * @throws RepositoryError for paths with conflicts, and for paths that lead out of the tree or into a `.git`
 */
export async function readIndex(area: StagingArea, count: TreeCounter): Promise<Submodule[]> {
  const submodules: Submodule[] = []
  const unmerged = new Set<string>()
  for await (const record of nulExchange(inTree(area, 'ls-files', '--stage', '-z'))) {
    const tab = record.indexOf('\t')
    const name = record.subarray(tab + 1)
    const [mode = '', id = '', stage] = record.toString('latin1', 0, tab).split(' ')
    if (isOutside(name)) {
      throw new RepositoryError(
        'working_tree_refused',
        `The index has the path ${pathText(name)}, which git does not allow. Remove it with git rm --cached.`,
      )
    }
    if (stage !== '0') {
      unmerged.add(pathText(name))
      continue
    }
    count.add(name)
    if (mode === submoduleMode) submodules.push({ name, commitSha: id })
  }
  if (unmerged.size > 0) {
    const named = namesOf([...unmerged])
    throw new RepositoryError(
      'working_tree_refused',
      `Resolve the conflicts in ${named} first, and add them with git add.`,
    )
  }
  return submodules
}

/** Whether a path leads out of the tree or has a part that is a `.git` on some file system. */
export const isOutside = (name: Buffer): boolean =>
  name
    .toString('latin1')
    .split('/')
    .some((part) => part === '' || part === '.' || part === '..' || /^(?:\.git|git~1)[ .]{0,250}(?:$|:)/i.test(part))
