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
    .description('print what tells a coding agent when to use which command, or install it')
    .option('--install [folder]', `put it there (default: ${defaultSkillFolder})`)
    .option('--force', 'with --install: replace one that differs')
    .action(async ({ install, force }: SkillOptions, command: Command) => {
      const { out, cwd } = openContext(command)
      if (install === undefined) {
        if (force === true) throw wrongUsage('--force belongs to --install.')
        const text = await readSkill()
        out.answer({ skill: text }, () => out.block(text))
        return
      }
      const { path, isNew } = await installSkill(install === true ? defaultSkillFolder : install, { cwd, force })
      out.answer({ path, installed: isNew }, () => out.line(isNew ? `Installed ${path}` : `${path} is up to date.`))
    })
}
