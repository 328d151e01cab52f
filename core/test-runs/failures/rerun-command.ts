import type { TestRunRow } from '../entity.ts'
import { quoted } from '../../../engines/test-plan/command-line.ts'
import type { RunPlan, Step } from '../../../engines/test-plan/plan.ts'
import { select } from '../../../engines/test-plan/select.ts'
import { isPrintable } from '../../base/repository-path.ts'
import type { Selection } from '../schema.ts'

/** Above this length `testRuns.rerunFailed` is easier to use than the command. */
const maxLength = 600

/**
 * Returns the command that runs the failed tests again, by name or else by file. Returns null if the command is unknown,
 * too long, or contains hidden characters.
 */
export function rerunCommand(
  { recipe, selection }: Pick<TestRunRow, 'recipe' | 'selection'>,
  failed: Selection | null,
) {
  if (!recipe || !failed) return null
  // The commands of a run with a selection cannot be narrowed a second time, and run little else.
  if (selection) return presentable(recipe.parts.map(({ directory, test }) => within(directory, typed(test))))
  const files = [...failed.paths, ...failed.tests.flatMap(({ file }) => file ?? [])]
  const byFile = { paths: [...new Set(files)], tests: [] }
  return commandFor(recipe, failed) ?? (files.length > 0 ? commandFor(recipe, byFile) : null)
}

function commandFor({ parts }: RunPlan, selection: Selection): string | null {
  return presentable(
    parts.flatMap((part) => {
      const selected = select(part, selection)
      return 'step' in selected ? within(part.directory, typed(selected.step)) : []
    }),
  )
}

function presentable(commands: readonly string[]): string | null {
  const command = commands.join(' && ')
  // The name of a test can contain hidden characters. A pasted command would not select that test.
  return command === '' || command.length > maxLength || !isPrintable(command) ? null : command
}

const typed = ({ short, command }: Step) => short ?? command

const within = (directory: string, command: string) =>
  directory === '' ? command : `(cd ${quoted([directory])} && ${command})`
