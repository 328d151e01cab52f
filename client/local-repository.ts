import { access, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { withBorrowed } from './borrowed-repository.ts'
import { cleanName, shorten } from './sanitize.ts'
import { UserError } from './user-error.ts'

const isOrigin = ({ name }: { name: string }) => name === 'remote.origin.url'

export interface LocalRepository {
  /** The top of the working tree, without symbolic links. */
  root: string
  /** The main working tree of the repository, or the repository if it has none. It is `root`, except in a `git worktree`. */
  mainRoot: string
  /** The addresses of its remotes, origin's first. */
  remotes: string[]
}

/** Finds the working tree that contains `path`, which is relative to the folder of this process. */
export async function describeLocalRepository(path: string): Promise<LocalRepository> {
  const root = await topOf(path)
  if (root === undefined) {
    throw new UserError(
      `${shorten(cleanName(path), 200)} is not inside a git working tree that this machine can read. ` +
        'Give the absolute path of a checkout.',
    )
  }
  const { mainRoot = root, remotes } = (await describe(root)) ?? {}
  const urls = (remotes ?? '').split('\n').flatMap((line) => {
    const space = line.indexOf(' ')
    return space < 0 ? [] : [{ name: line.slice(0, space), url: line.slice(space + 1).trim() }]
  })
  const ordered = [...urls.filter(isOrigin), ...urls.filter((remote) => !isOrigin(remote))]
  return { root, mainRoot, remotes: ordered.map(({ url }) => url) }
}

/** Does not ask git, which would follow a `core.worktree` that points elsewhere. */
async function topOf(path: string): Promise<string | undefined> {
  let folder = await realpath(path).catch(() => undefined)
  while (folder !== undefined) {
    const isTop = await access(join(folder, '.git')).then(
      () => true,
      () => false,
    )
    if (isTop) return folder
    const parent = dirname(folder)
    folder = parent === folder ? undefined : parent
  }
  return undefined
}

interface Described {
  mainRoot: string
  /** The addresses with their settings, one a line; undefined where git fails, for example without remotes. */
  remotes: string | undefined
}

/** Returns undefined if git cannot read the repository. */
function describe(root: string): Promise<Described | undefined> {
  const args = ['config', '--no-includes', '--get-regexp', String.raw`^remote\..*\.url$`]
  return withBorrowed(root, async ({ repository: { gitDir, commonDir }, git, signal }) => {
    const isLinked = gitDir !== commonDir
    const mainRoot = basename(commonDir) === '.git' ? dirname(commonDir) : commonDir
    const remotes = await git({ args, gitDir, signal }).catch(() => undefined)
    return { mainRoot: isLinked ? mainRoot : root, remotes }
  }).catch(() => undefined)
}
