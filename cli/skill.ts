import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { wrongUsage } from './failure.ts'

// Beside the programs, here and in the package.
const skill = join(import.meta.dirname, '../skills/assay/SKILL.md')

export const defaultSkillFolder = '.claude/skills/assay'

export const readSkill = () => readFile(skill, 'utf8')

/** Puts the skill where agents look for it; a file that is not ours as it stands stays. */
export async function installSkill(folder: string, { force = false } = {}): Promise<{ path: string; isNew: boolean }> {
  const path = resolve(folder, 'SKILL.md')
  const text = await readSkill()
  const there = await readFile(path, 'utf8').catch(() => undefined)
  if (there === text) return { path, isNew: false }
  if (there !== undefined && !force) throw wrongUsage(`${path} is there already and differs. Replace it with --force.`)
  try {
    await mkdir(resolve(folder), { recursive: true })
    await writeFile(path, text)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw wrongUsage(`${path} cannot be written${reason}.`)
  }
  return { path, isNew: true }
}
