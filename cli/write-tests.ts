import { constants } from 'node:fs'
import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { cleanName } from '../client/sanitize.ts'
import type { GeneratedTest } from '../core/generated-tests/schema.ts'
import { type CommandError, wrongUsage } from './failure.ts'

const create = 'wx'
/** Does not follow a symbolic link, which may lead anywhere. */
const overwrite = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0)

/**
 * Writes tests to their paths in a checkout. A model chose the paths, so this writes nothing outside of the checkout,
 * and overwrites nothing without `force`.
 *
 * @param root - without symbolic links
 * @returns the paths relative to `cwd`
 */
export async function writeTests(
  tests: readonly Pick<GeneratedTest, 'filePath' | 'code'>[],
  root: string,
  { cwd, force = false }: { cwd: string; force?: boolean | undefined },
): Promise<string[]> {
  const written: string[] = []
  for (const { filePath, code } of tests) {
    const path = join(root, filePath)
    const folder = await nearestFolder(dirname(path))
    if (!isWithin(root, path) || !isWithin(root, join(folder, 'x'))) {
      throw notWritten(filePath, 'is outside of the checkout')
    }
    // Git, agents, editors and CI execute such files.
    const parts = [path, folder].flatMap((one) => relative(root, one).split(/[/\\]/))
    if (parts.some((part) => part.startsWith('.'))) {
      throw notWritten(filePath, 'has a name or folder that begins with a dot, which is reserved for programs')
    }
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, code, { flag: force ? overwrite : create }).catch((error: unknown) => {
      throw explain(filePath, error)
    })
    written.push(relative(cwd, path))
  }
  return written
}

function explain(filePath: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EEXIST') return wrongUsage(`${cleanName(filePath)} already exists. Use --force to overwrite it.`)
  if (code === 'ELOOP') return notWritten(filePath, 'is a symbolic link')
  return typeof code === 'string' ? notWritten(filePath, `cannot be written (${code})`) : error
}

const notWritten = (filePath: string, why: string): CommandError =>
  wrongUsage(`${cleanName(filePath)} was not written: it ${why}.`)

export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** Returns the folder or its nearest existing parent, without symbolic links. */
export async function nearestFolder(folder: string): Promise<string> {
  return realpath(folder).catch(() => nearestFolder(dirname(folder)))
}
