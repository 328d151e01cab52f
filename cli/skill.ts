import { constants } from 'node:fs'
import { lstat, mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { wrongUsage } from './failure.ts'
import { isWithin, nearestFolder } from './write-tests.ts'

// Beside the programs, here and in the package.
const skill = join(import.meta.dirname, '../skills/assay/SKILL.md')

export const defaultSkillFolder = '.claude/skills/assay'

export const readSkill = () => readFile(skill, 'utf8')

/** Through no link. */
const instead = constants.O_WRONLY | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0)

/** Puts the skill where agents look for it; a file that is not ours as it stands stays. */
export async function installSkill(
  folder: string,
  { cwd, force = false }: { cwd: string; force?: boolean | undefined },
): Promise<{ path: string; isNew: boolean }> {
  const path = resolve(cwd, folder, 'SKILL.md')
  const text = await readSkill()
  // A checkout may come with links, which lead anywhere.
  const real = join(await nearestFolder(dirname(path)), 'SKILL.md')
  if (isWithin(cwd, path) && !isWithin(await realpath(cwd), real)) {
    throw wrongUsage(`${path} leads out of ${cwd} by a symbolic link, so it was not written.`)
  }
  const stats = await lstat(path).catch(() => undefined)
  if (stats && !stats.isFile()) throw wrongUsage(`${path} is no regular file, so it was not written.`)
  const there = await readFile(path, 'utf8').catch(() => undefined)
  if (there === text) return { path, isNew: false }
  if (there !== undefined && !force) throw wrongUsage(`${path} is there already and differs. Replace it with --force.`)
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { flag: there === undefined ? 'wx' : instead })
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw wrongUsage(`${path} cannot be written${reason}.`)
  }
  return { path, isNew: true }
}
