import type { ProjectSettings } from '../../projects/schema.ts'
import { detectPlan } from '../../../engines/test-plan/detect.ts'
import { PlanError, type PlanPart, type RunPlan, type SourceTree } from '../../../engines/test-plan/plan.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import type { TestFile } from '../../../engines/verdicts/outcome.ts'
import { partOfTest } from '../runner/part-of-test.ts'

export interface TestPlan {
  /** What must be installed and prepared for the part, and the part itself last. */
  parts: PlanPart[]
  part: PlanPart
  /** The project has no tests that this one could be compared with. */
  isFirst: boolean
}

/**
 * Finds out which part of the project's tests a new test belongs to.
 *
 * @throws RunFailure where it belongs to none
 */
export async function planTest(tree: SourceTree, settings: ProjectSettings, test: TestFile): Promise<TestPlan> {
  const own = await planOrProblem(withoutFile(tree, test), settings)
  if (!(own instanceof PlanError)) {
    const part = partOfTest(own, test)
    if (part) return { part, parts: needed(own, part), isFirst: false }
  }
  const extended = await planOrProblem(withFile(tree, test), settings)
  if (extended instanceof PlanError) throw new RunFailure(extended.code, extended.message)
  const part = partOfTest(extended, test)
  if (part) return { part, parts: needed(extended, part), isFirst: true }
  throw new RunFailure(
    'unsupported',
    `Nothing of this project runs tests in the folder of ${test.path}. testRuns.plan shows what is run where; the settings "workingDirectory" and "testCommand" change it.`,
  )
}

async function planOrProblem(tree: SourceTree, settings: ProjectSettings): Promise<RunPlan | PlanError> {
  try {
    return await detectPlan(tree, settings, 'ALL')
  } catch (error) {
    if (error instanceof PlanError) return error
    throw error
  }
}

/** The first part of a workspace, or of a folder, has the install of all. */
const needed = ({ parts }: RunPlan, part: PlanPart): PlanPart[] => [
  ...parts.slice(0, parts.indexOf(part)).filter(({ ecosystem }) => ecosystem === part.ecosystem),
  part,
]

/** What the test takes the place of is none of the project's other tests. */
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
