import { join } from 'node:path/posix'
import type { ProjectSettings } from '../../projects/schema.ts'
import type { TaskRunner } from '../../../engines/processes/tasks.ts'
import { detectPlanApart } from '../../../engines/test-plan/detect-apart.ts'
import { collectsFile, describeTesting } from '../../../engines/test-plan/describe-testing.ts'
import { alsoRunning } from '../../../engines/test-plan/select.ts'
import { fixedFiles } from '../../../engines/test-plan/test-home.ts'
import { PlanError, type PlanPart, type RunPlan, type SourceTree } from '../../../engines/test-plan/plan.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import type { TestFile } from '../../../engines/verdicts/outcome.ts'
import { partOfTest } from '../../workspaces/runner/part-of-test.ts'

export interface TestPlan {
  /** The parts that must be installed and prepared, and the part of the test as the last one. */
  parts: PlanPart[]
  part: PlanPart
  /** The part with a command that also runs the test, if that command names files. */
  partWithTest: PlanPart
  /** Whether the project has no other tests to compare with. */
  isFirst: boolean
  /** What the caller should know about the place of the test. */
  warning?: string
}

/**
 * Finds the part of the test plan that a new test belongs to.
 *
 * @param isCommitted - whether the commit contains this very test. It is then not one of the project's other tests.
 * @throws RunFailure if the test belongs to no part, or to one whose command does not collect it
 */
export async function planTest(
  runner: TaskRunner,
  tree: SourceTree,
  settings: ProjectSettings,
  test: TestFile,
  isCommitted: boolean,
): Promise<TestPlan> {
  const own = await planOrProblem(runner, isCommitted ? withoutFile(tree, test) : tree, settings)
  if (!(own instanceof PlanError)) {
    const part = partOfTest(own, test)
    if (part) return collecting({ part, partWithTest: part, parts: needed(own, part), isFirst: false }, test, tree)
  }
  const extended = await planOrProblem(runner, withFile(tree, test), settings)
  if (extended instanceof PlanError) throw new RunFailure(extended.code, extended.message)
  const part = partOfTest(extended, test)
  if (part) return collecting({ part, partWithTest: part, parts: needed(extended, part), isFirst: true }, test, tree)
  throw new RunFailure(
    'unsupported',
    `No test command of this project runs tests in the folder of ${test.path}. The plan of a test run shows the commands and their folders. Change them with the project's settings "workingDirectory" and "testCommand".`,
  )
}

/**
 * Requires that the command of the part collects the test: a test that it leaves out could not be judged with the suite,
 * and would never run in the project. If the command names single files, no new test can be one of them. Then it runs
 * with them here, and the caller must add it to the command.
 */
function collecting(plan: TestPlan, { path }: TestFile, tree: SourceTree): TestPlan {
  const { part } = plan
  const testing = describeTesting(part)
  const extend = (files: readonly string[]): TestPlan | null => {
    const extended = alsoRunning(part, files, path)
    return extended && { ...plan, partWithTest: extended }
  }
  if (collectsFile(testing, path) !== false) {
    // A pattern of the command was replaced by the files that it matches, of which the test is not one yet.
    const targets = part.targetCount ? part.test.argv.slice(-part.targetCount) : []
    const isFile = (target: string) => tree.paths.includes(join(part.directory, target))
    const isListed =
      targets.length === 0 || !targets.every(isFile) || targets.some((target) => join(part.directory, target) === path)
    return isListed ? plan : (extend(targets) ?? plan)
  }
  const files = fixedFiles(testing)
  const extended = files.length === 0 ? null : extend(testing.testFiles?.filter(isWanted) ?? [])
  const shown = (globs: readonly string[]) => globs.slice(0, 5).join(', ').slice(0, 300)
  if (extended) {
    const warning = `\`${testing.command.slice(0, 200)}\` runs only ${shown(files)}. Add ${path} to this command, or move the test into one of these files.`
    return { ...extended, warning }
  }
  throw new RunFailure(
    'invalid',
    `The command \`${testing.command.slice(0, 200)}\` of this project does not run ${path}. It runs ${shown(testing.testFiles?.filter(isWanted) ?? [])}${part.directory === '' ? '' : ` in ${part.directory}`}. Use such a path for the test.`,
  )
}

const isWanted = (glob: string) => !glob.startsWith('!')

async function planOrProblem(
  runner: TaskRunner,
  tree: SourceTree,
  settings: ProjectSettings,
): Promise<RunPlan | PlanError> {
  try {
    return await detectPlanApart(runner, tree, settings, 'ALL')
  } catch (error) {
    if (error instanceof PlanError) return error
    throw error
  }
}

/** The first part of a workspace or folder has the install step for all of them. */
const needed = ({ parts }: RunPlan, part: PlanPart): PlanPart[] => [
  ...parts.slice(0, parts.indexOf(part)).filter(({ ecosystem }) => ecosystem === part.ecosystem),
  part,
]

function withoutFile(tree: SourceTree, test: TestFile): SourceTree {
  return {
    paths: tree.paths.filter((path) => path !== test.path),
    read: async (wanted) => (wanted === test.path ? null : tree.read(wanted)),
  }
}

function withFile(tree: SourceTree, { path, code }: TestFile): SourceTree {
  return {
    paths: tree.paths.includes(path) ? tree.paths : [...tree.paths, path],
    read: async (wanted) => (wanted === path ? code : tree.read(wanted)),
  }
}
