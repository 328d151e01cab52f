import type { TestRunRow } from '../entity.ts'
import { quoted } from '../../../engines/test-plan/command-line.ts'
import type { RunPlan, Step } from '../../../engines/test-plan/plan.ts'
import { select } from '../../../engines/test-plan/select.ts'
import type { Selection } from '../schema.ts'

/** Longer ones help nobody: `testRuns.rerunFailed` does. */
const longestCommand = 600

/**
 * What a person types to run again what failed, by name or else by file; null where nobody knows, or where it would be
 * too long.
 */
export function rerunCommand(
  { recipe, selection }: Pick<TestRunRow, 'recipe' | 'selection'>,
  failed: Selection | null,
) {
  if (!recipe || !failed) return null
  // What was confined already cannot be confined again, and runs little else.
  if (selection) return shortOnly(recipe.parts.map(({ directory, test }) => within(directory, typed(test))))
  const files = [...failed.paths, ...failed.tests.flatMap(({ file }) => file ?? [])]
  const byFile = { paths: [...new Set(files)], tests: [] }
  return commandFor(recipe, failed) ?? (files.length > 0 ? commandFor(recipe, byFile) : null)
}

function commandFor({ parts }: RunPlan, selection: Selection): string | null {
  return shortOnly(
    parts.flatMap((part) => {
      const selected = select(part, selection)
      return 'step' in selected ? within(part.directory, typed(selected.step)) : []
    }),
  )
}

function shortOnly(commands: readonly string[]): string | null {
  const command = commands.join(' && ')
  return command === '' || command.length > longestCommand ? null : command
}

const typed = ({ short, command }: Step) => short ?? command

const within = (directory: string, command: string) =>
  directory === '' ? command : `(cd ${quoted([directory])} && ${command})`
