import { access, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { withBorrowed } from './borrowed-repository.ts'
import { cleanName, shorten } from './sanitize.ts'
import { UserError } from './user-error.ts'

const isOrigin = ({ name }: { name: string }) => name === 'remote.origin.url'

export interface LocalRepository {
  /** The top of the working tree, without symbolic links. */
  root: string
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
  const remotes = await listRemotes(root)
  const urls = (remotes ?? '').split('\n').flatMap((line) => {
    const space = line.indexOf(' ')
    return space < 0 ? [] : [{ name: line.slice(0, space), url: line.slice(space + 1).trim() }]
  })
  const ordered = [...urls.filter(isOrigin), ...urls.filter((remote) => !isOrigin(remote))]
  return { root, remotes: ordered.map(({ url }) => url) }
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

/** Returns the addresses with their settings, one a line; undefined where git fails, for example without remotes. */
function listRemotes(root: string): Promise<string | undefined> {
  const args = ['config', '--no-includes', '--get-regexp', String.raw`^remote\..*\.url$`]
  return withBorrowed(root, ({ repository, git, signal }) => git({ args, gitDir: repository.gitDir, signal })).catch(
    () => undefined,
  )
}
