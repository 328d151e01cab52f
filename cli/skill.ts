import { constants } from 'node:fs'
import { lstat, mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { wrongUsage } from './failure.ts'
import { isWithin, nearestFolder } from './write-tests.ts'

// The package has the same layout.
const skill = join(import.meta.dirname, '../skills/assay/SKILL.md')

export const defaultSkillFolder = '.claude/skills/assay'

export const readSkill = () => readFile(skill, 'utf8')

/** Does not follow a symbolic link. */
const overwrite = constants.O_WRONLY | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0)

/** Writes the skill to a folder. Keeps a file that differs, unless `force` is set. */
export async function installSkill(
  folder: string,
  { cwd, force = false }: { cwd: string; force?: boolean | undefined },
): Promise<{ path: string; isNew: boolean }> {
  const path = resolve(cwd, folder, 'SKILL.md')
  const text = await readSkill()
  // A checkout may contain symbolic links, which may lead anywhere.
  const real = join(await nearestFolder(dirname(path)), 'SKILL.md')
  if (isWithin(cwd, path) && !isWithin(await realpath(cwd), real)) {
    throw wrongUsage(`${path} was not written: a symbolic link leads out of ${cwd}.`)
  }
  const stats = await lstat(path).catch(() => undefined)
  if (stats && !stats.isFile()) throw wrongUsage(`${path} was not written: it is not a regular file.`)
  const there = await readFile(path, 'utf8').catch(() => undefined)
  if (there === text) return { path, isNew: false }
  if (there !== undefined && !force)
    throw wrongUsage(`${path} already exists and differs. Use --force to overwrite it.`)
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { flag: there === undefined ? 'wx' : overwrite })
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw wrongUsage(`${path} cannot be written${reason}.`)
  }
  return { path, isNew: true }
}
