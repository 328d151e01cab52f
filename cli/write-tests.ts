import { constants } from 'node:fs'
import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { cleanName } from '../client/sanitize.ts'
import type { GeneratedTest } from '../core/generated-tests/schema.ts'
import { type CommandError, wrongUsage } from './failure.ts'

const anew = 'wx'
/** Through no link, which may lead anywhere. */
const instead = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0)

/**
 * Puts tests where they belong in a checkout. Where that is, a model has said: nothing is written outside of the
 * checkout, and nothing replaced unasked.
 *
 * @param root - without symlinks
 * @returns the paths from where the command was typed
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
    // Git, agents, editors and CI run what lies there.
    const parts = [path, folder].flatMap((one) => relative(root, one).split(/[/\\]/))
    if (parts.some((part) => part.startsWith('.'))) {
      throw notWritten(filePath, 'is among files that programs keep for themselves, whose names begin with a dot')
    }
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, code, { flag: force ? instead : anew }).catch((error: unknown) => {
      throw explain(filePath, error)
    })
    written.push(relative(cwd, path))
  }
  return written
}

function explain(filePath: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EEXIST')
    return wrongUsage(`${cleanName(filePath)} is there already, so it was not written. --force replaces it.`)
  if (code === 'ELOOP') return notWritten(filePath, 'is a symbolic link')
  return typeof code === 'string' ? notWritten(filePath, `cannot be written (${code})`) : error
}

const notWritten = (filePath: string, why: string): CommandError =>
  wrongUsage(`${cleanName(filePath)} ${why}. It was not written.`)

export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** The folder, or the nearest above it that is there, without symlinks. */
export async function nearestFolder(folder: string): Promise<string> {
  return realpath(folder).catch(() => nearestFolder(dirname(folder)))
}
