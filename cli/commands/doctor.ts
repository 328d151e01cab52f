import type { Command } from 'commander'
import packageInfo from '../../package.json' with { type: 'json' }
import { openBareContext } from '../context.ts'
import { examine } from '../doctor/examine.ts'
import type { Finding } from '../doctor/finding.ts'
import { exitCodes } from '../failure.ts'
import { bold, dim, green, type Part, red, yellow } from '../output.ts'
import { counted } from '../words.ts'

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check settings, login, server and checkout; exit code 1 if there is a problem')
    .action(async (_options: unknown, command: Command) => {
      const context = openBareContext(command)
      const { out } = context
      out.progress('Checking')
      const findings = await examine(context)
      const problems = findings.filter(({ state }) => state === 'problem')
      const document = { ok: problems.length === 0, version: packageInfo.version, findings }
      out.answer(document, () => {
        const width = Math.max(...findings.map(({ about }) => about.length))
        for (const { about, state, detail, advice } of findings) {
          out.line(marks[state], `  ${about.padEnd(width)}  `, detail)
          if (advice !== null) out.line(dim(`${' '.repeat(width + 11)}${advice}`))
        }
        out.line()
        if (problems.length === 0) out.line(green('No problems found.'))
        else out.line(bold(`${counted(problems.length, 'problem')}.`))
      })
      if (problems.length > 0) context.exitWith(exitCodes.no)
    })
}

const marks: Record<Finding['state'], Part> = {
  good: green('ok     '),
  note: yellow('note   '),
  problem: red('problem'),
}
