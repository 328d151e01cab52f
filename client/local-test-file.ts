import { constants } from 'node:fs'
import { access, open, realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { describeLocalRepository, type LocalRepository } from './local-repository.ts'
import { cleanName, shorten } from './sanitize.ts'
import { UserError } from './user-error.ts'

/** The limit of core. */
export const maxTestBytes = 256 * 1_024

export interface LocalTestFile {
  repository: LocalRepository
  /** Relative to the repository, with slashes. */
  filePath: string
  code: string
}

/**
 * Reads a test file from its checkout. Refuses a symbolic link out of the checkout: its target is not part of the
 * project, and would be sent to the server.
 *
 * @param path - relative to the folder of this process
 */
export async function readLocalTestFile(path: string): Promise<LocalTestFile> {
  const given = resolve(path)
  const shown = shorten(cleanName(given), 400)
  const top = await topAbove(given)
  if (top === undefined) {
    throw new UserError(`${shown} is not inside a git working tree that this machine can read.`)
  }
  const repository = await describeLocalRepository(top)
  const real = await realpath(given).catch((error: unknown) => {
    throw unreadable(shown, error)
  })
  const inside = relative(repository.root, real)
  if (inside === '..' || inside.startsWith(`..${sep}`) || resolve(inside) === inside) {
    throw new UserError(`${shown} was not read: a symbolic link leads out of its checkout.`)
  }
  if (inside.split(sep)[0] === '.git') throw new UserError(`${shown} belongs to git and is not a test.`)
  return { repository, filePath: inside.split(sep).join('/'), code: await readText(real, shown) }
}

/** Uses the path as written. The caller checks where symbolic links lead. */
async function topAbove(path: string): Promise<string | undefined> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const isTop = await access(join(folder, '.git')).then(
      () => true,
      () => false,
    )
    if (isTop) return folder
    if (folder === dirname(folder)) return undefined
  }
}

async function readText(path: string, shown: string): Promise<string> {
  // Does not wait for the writer of a pipe, nor follow a file that has just become a symbolic link.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW
  await using file = await open(path, flags).catch((error: unknown) => {
    throw unreadable(shown, error)
  })
  const { size, ...stats } = await file.stat().then((found) => ({ size: found.size, isFile: found.isFile() }))
  if (!stats.isFile) throw new UserError(`${shown} is not a regular file.`)
  if (size === 0) throw new UserError(`${shown} is empty. Write the test first.`)
  if (size > maxTestBytes) {
    throw new UserError(`${shown} has ${size} bytes; the maximum is ${maxTestBytes / 1_024} KiB.`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.readFile())
  } catch (error) {
    if (error instanceof TypeError) throw new UserError(`${shown} is not UTF-8 text.`)
    throw error
  }
}

function unreadable(shown: string, error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') return new UserError(`${shown} does not exist.`)
  return new UserError(`${shown} cannot be read (${String(code)}).`)
}
