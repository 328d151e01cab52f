import type { ProjectSettings } from '../../projects/schema.ts'
import type { TaskRunner } from '../../../engines/processes/tasks.ts'
import { detectPlanApart } from '../../../engines/test-plan/detect-apart.ts'
import { PlanError, type PlanPart, type RunPlan, type SourceTree } from '../../../engines/test-plan/plan.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import type { TestFile } from '../../../engines/verdicts/outcome.ts'
import { partOfTest } from '../runner/part-of-test.ts'

export interface TestPlan {
  /** The parts that must be installed and prepared, and the part of the test as the last one. */
  parts: PlanPart[]
  part: PlanPart
  /** Whether the project has no other tests to compare with. */
  isFirst: boolean
}

/**
 * Finds the part of the test plan that a new test belongs to.
 *
 * @throws RunFailure if the test belongs to no part
 */
export async function planTest(
  runner: TaskRunner,
  tree: SourceTree,
  settings: ProjectSettings,
  test: TestFile,
): Promise<TestPlan> {
  const own = await planOrProblem(runner, withoutFile(tree, test), settings)
  if (!(own instanceof PlanError)) {
    const part = partOfTest(own, test)
    if (part) return { part, parts: needed(own, part), isFirst: false }
  }
  const extended = await planOrProblem(runner, withFile(tree, test), settings)
  if (extended instanceof PlanError) throw new RunFailure(extended.code, extended.message)
  const part = partOfTest(extended, test)
  if (part) return { part, parts: needed(extended, part), isFirst: true }
  throw new RunFailure(
    'unsupported',
    `No test command of this project runs tests in the folder of ${test.path}. testRuns.plan shows the commands and their folders. Change them with the settings "workingDirectory" and "testCommand".`,
  )
}

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

/** The file that the test replaces is not one of the project's other tests. */
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
