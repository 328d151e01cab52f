import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { procedureNames } from '../client/procedure-names.ts'
import { explainFailure } from './failure.ts'
import { createProgram } from './program.ts'

test('replaces the procedures of the hint by commands, and no other text of the message', () => {
  const { message, exitCode } = explainFailure(
    {
      kind: 'refused',
      code: 'CONFLICT',
      status: 409,
      message: 'The branch webhooks.list has a run. Wait for it with testRuns.get',
      hint: { kind: 'names', procedures: ['testRuns.get'], fields: [] },
    },
    { baseUrl: 'http://localhost:4000' },
  )
  expect({ message, exitCode }).toEqual({
    message: 'The branch webhooks.list has a run. Wait for it with `assay status`.',
    exitCode: 2,
  })
})

test('names the procedure and the API where no command does the same', () => {
  const { message } = explainFailure(
    {
      kind: 'refused',
      code: 'NOT_FOUND',
      status: 404,
      message: 'No such test. generatedTests.list lists those of the project.',
      hint: { kind: 'names', procedures: ['generatedTests.list'], fields: [] },
    },
    { baseUrl: 'http://localhost:4000' },
  )
  expect(message).toBe('No such test. The API procedure generatedTests.list lists those of the project.')
})

test('every command in place of a procedure exists', () => {
  const program = createProgram()
  for (const [, command] of Object.values(procedureNames)) {
    const words = command?.split(' ').slice(1) ?? []
    const found = program.commands.find((one) => one.name() === words[0])
    if (words[0] !== undefined) expect(found, command ?? '').toBeDefined()
    if (words[1] !== undefined && found && found.commands.length > 0) {
      const names = [...found.commands.map((one) => one.name()), ...found.options.map((one) => one.long)]
      expect(names, command ?? '').toContain(words[1])
    }
  }
})

test('every procedure that core names in a refusal has its words here', async () => {
  const core = join(import.meta.dirname, '../core')
  const named: string[] = []
  for await (const file of glob('**/*.ts', { cwd: core })) {
    const source = await readFile(join(core, file), 'utf8')
    named.push(
      ...[...source.matchAll(/procedureHint\(([^)]*)\)/g)].flatMap(
        ([, names = '']) => names.match(/[\w.]+\.\w+/g) ?? [],
      ),
    )
  }
  expect(named).toContain('projects.getProjects')
  expect(named.filter((name) => !(name in procedureNames) && /^[a-z][A-Za-z]+\.[a-z]/.test(name))).toEqual([])
})
