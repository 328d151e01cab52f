import { constants } from 'node:fs'
import { access, open, realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { describeLocalRepository, type LocalRepository } from './local-repository.ts'
import { cleanName, shorten } from './sanitize.ts'
import { UserError } from './user-error.ts'

/** What core takes of a test. */
export const longestTestBytes = 256 * 1_024

export interface LocalTestFile {
  repository: LocalRepository
  /** Relative to the repository, as git spells it. */
  filePath: string
  code: string
}

/**
 * Reads a test out of the checkout that it lies in. A link that leads out of that checkout is refused: what it leads to
 * is no part of the project, and would be sent away.
 *
 * @param path - relative to where this process was started
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
    throw new UserError(`${shown} leads out of its checkout by a symbolic link, so it was not read.`)
  }
  if (inside.split(sep)[0] === '.git') throw new UserError(`${shown} is git's own, and no test.`)
  return { repository, filePath: inside.split(sep).join('/'), code: await readText(real, shown) }
}

/** By the path as it is written: where its links lead is looked at afterwards. */
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
  // Neither waits for the other end of a pipe nor follows what has just become a link.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW
  await using file = await open(path, flags).catch((error: unknown) => {
    throw unreadable(shown, error)
  })
  const { size, ...stats } = await file.stat().then((found) => ({ size: found.size, isFile: found.isFile() }))
  if (!stats.isFile) throw new UserError(`${shown} is no regular file.`)
  if (size === 0) throw new UserError(`${shown} is empty. Write the test first.`)
  if (size > longestTestBytes) {
    throw new UserError(`${shown} has ${size} bytes; a test may have ${longestTestBytes / 1_024} KiB.`)
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
  if (code === 'ENOENT' || code === 'ENOTDIR') return new UserError(`There is no file ${shown}.`)
  return new UserError(`${shown} cannot be read (${String(code)}).`)
}
