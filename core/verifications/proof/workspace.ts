import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { digest } from '../../workspaces/digest.ts'
import { layersAbove, openLayers } from '../../workspaces/layered-checkout.ts'
import type { Work } from '../../workspaces/run-parts.ts'
import type { GoModule } from '../../../engines/test-plan/go-modules.ts'
import type { OpenedSource } from '../../workspaces/source.ts'
import type { TaskRunner } from '../../../engines/processes/tasks.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import type { TestPlan } from './plan-test.ts'
import type { LayeredExecution } from '../../workspaces/layered-checkout.ts'
import type { RunOutcome, TestFile } from '../../../engines/verdicts/outcome.ts'

export interface Execution extends Omit<LayeredExecution, 'part' | 'paths' | 'test'> {
  /** Whether the repository contains the test. */
  withTest: boolean
  /** Without a test that is committed: whether the repository contains it. */
  withOriginal?: boolean
}

/**
 * A commit with installed dependencies in which commands run. Each command sees the original files without the changes of
 * other commands, so that several commands can run at once.
 */
export interface Workspace {
  part: PlanPart
  /** The part whose command includes the test, even if that command names files. */
  partWithTest: PlanPart
  test: TestFile
  /** Whether the commit contains this very test. It is hidden from commands. */
  isCommitted: boolean
  /** The version of the file in the commit, if the test changes it. Commands without the test see it. */
  original: TestFile | null
  /** The files of the commit and of the test. */
  paths: readonly string[]
  /** Reads a file of the commit. Returns null if it is large or not a regular file. */
  read(path: string): Promise<string | null>
  /** Creates a layer with one file. */
  makeLayer(path: string, content: string): Promise<string>
  /** @throws RunFailure if the sandbox failed */
  run(execution: Execution): Promise<RunOutcome>
}

export interface Opening {
  runner: TaskRunner
  work: Work
  source: Pick<OpenedSource, 'contentId' | 'tree' | 'treeId'>
  plan: TestPlan
  goModules: readonly GoModule[]
  test: TestFile
  isCommitted: boolean
  mask: (text: string) => string
}

/**
 * Installs and prepares everything that the test needs.
 *
 * @throws RunFailure if a command fails
 */
export async function openWorkspace({
  runner,
  work,
  source,
  plan,
  goModules,
  test,
  isCommitted,
  mask,
}: Opening): Promise<Workspace> {
  const { part } = plan
  const { checkout } = work
  const layers = layersAbove(work)
  const testLayer = await layers.makeLayer(test.path, test.code)
  const hasFile = source.tree.paths.includes(test.path)
  const paths = hasFile ? source.tree.paths : [...source.tree.paths, test.path]
  const originalCode = hasFile && !isCommitted ? await layers.read(test.path) : null
  // A committed test is not one of the tests that it is compared with.
  const originalLayer = isCommitted ? await layers.newLayer(test.path) : null
  if (originalLayer !== null) await rename(join(checkout, test.path), join(originalLayer, test.path))

  // The install does not see the hidden file.
  const treeId = () => (isCommitted ? digest([source.treeId(), 'without', test.path]) : source.treeId())
  const contentId = (path: string) => (isCommitted && path === test.path ? undefined : source.contentId(path))
  const opening = { runner, work, source: { contentId, treeId }, parts: plan.parts, goModules, mask }
  const layered = await openLayers(opening, layers)
  return {
    part,
    partWithTest: plan.partWithTest,
    test,
    isCommitted,
    original: originalCode === null ? null : { path: test.path, code: originalCode },
    paths,
    read: (path) => layered.read(path),
    makeLayer: (path, content) => layered.makeLayer(path, content),
    run: ({ withTest, withOriginal = false, layers: above = [], ...execution }) => {
      const inPlace = withTest ? testLayer : withOriginal ? originalLayer : null
      return layered.run({
        ...execution,
        part,
        layers: inPlace === null ? above : [...above, inPlace],
        paths,
        test: withTest ? test : null,
      })
    },
  }
}
