import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../cli/program.ts'
import { exitCodes } from '../cli/failure.ts'

const namesIn = (command: Command): string[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help')
    .flatMap((one) => [one.name(), ...namesIn(one)])

test('the page on the command line names every command and every exit code', async () => {
  const page = await readFile(new URL('cli.md', import.meta.url), 'utf8')
  for (const name of namesIn(createProgram())) expect(page, name).toMatch(new RegExp(`\\b${name}\\b`))
  for (const code of Object.values(exitCodes)) expect(page).toContain(`\n| ${code} `)
})
