import type { Command } from 'commander'
import { openContext } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { defaultSkillFolder, installSkill, readSkill } from '../skill.ts'

interface SkillOptions {
  install?: string | true
  force?: boolean
}

export function addSkill(program: Command): void {
  program
    .command('skill')
    .description('print or install the skill that teaches coding agents to use assay')
    .option('--install [folder]', `install the skill (default folder: ${defaultSkillFolder})`)
    .option('--force', 'overwrite an existing skill (with --install)')
    .action(async ({ install, force }: SkillOptions, command: Command) => {
      const { out, cwd } = openContext(command)
      if (install === undefined) {
        if (force === true) throw wrongUsage('--force requires --install.')
        const text = await readSkill()
        out.answer({ skill: text }, () => out.block(text))
        return
      }
      const { path, isNew } = await installSkill(install === true ? defaultSkillFolder : install, { cwd, force })
      out.answer({ path, installed: isNew }, () => out.line(isNew ? `Installed ${path}` : `${path} is up to date.`))
    })
}
