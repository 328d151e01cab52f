import { arch } from 'node:os'
import type { Executor } from '../../../engines/sandbox/executor.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import { kindOfFile } from '../../../engines/verdicts/change/changed-files.ts'
import type { ProjectSettings } from '../../projects/schema.ts'
import { digest } from '../../workspaces/digest.ts'
import type { OpenedSource } from '../../workspaces/source.ts'
import { isStranger, type Trust } from '../../workspaces/trust.ts'

/** Increase it with every change that can lead to other results for the same code. */
const edition = 1

/** What the results of all mutants depend on. */
export interface Conditions {
  source: Pick<OpenedSource, 'tree' | 'contentId' | 'treeId'>
  parts: readonly PlanPart[]
  settings: Pick<ProjectSettings, 'timeoutSeconds' | 'testNetwork'>
  executor: Pick<Executor, 'name'>
  environment: Readonly<Record<string, string>>
  trust: Trust
  /** The branch or commit, if it is not the branch of the project. */
  elsewhere: string | null
  /** Who sent the snapshot; null for a commit of the repository. */
  senderId: string | null
}

/**
 * Returns the digests under which results are found; new ones are stored under the first. The tests of a stranger can forge
 * results, so that only the same commit, or later snapshots of the same sender, take them over. Those of another branch count there
 * only: nobody may have reviewed its tests.
 */
export function conditionsOf(conditions: Conditions): [own: string, ...others: string[]] {
  const { source, parts, settings, executor, environment, trust, senderId } = conditions
  const { timeoutSeconds, testNetwork } = settings
  const variables = Object.entries(environment).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const machine = [executor.name, arch(), process.version]
  const ground = [edition, machine, parts, timeoutSeconds, testNetwork, variables, groundOf(source)]
  const keyOf = (owner: string) => digest([...ground, owner])
  const { elsewhere } = conditions
  if (!isStranger(trust))
    return elsewhere === null ? [keyOf('project')] : [keyOf(`branch:${elsewhere}`), keyOf('project')]
  return [keyOf(senderId === null ? trust : `sender:${senderId}`), keyOf('project')]
}

const isText = (path: string) =>
  ['.md', '.markdown', '.rst', '.adoc'].some((ending) => path.toLowerCase().endsWith(ending))

/** Everything that no test names: configuration, lockfiles, data and what supports tests. */
function groundOf({ tree, contentId, treeId }: Conditions['source']): unknown {
  const paths = new Set(tree.paths)
  // A test depends on its own stored snapshots only.
  const isOfTest = (path: string) =>
    path.endsWith('.snap') && paths.has(path.slice(0, -'.snap'.length).replace('__snapshots__/', ''))
  const files = tree.paths.flatMap((path) => {
    if (isOfTest(path)) return []
    const kind = kindOfFile(path)
    return kind === 'test_support' || (kind === 'other' && !isText(path)) ? [[path, contentId(path) ?? null]] : []
  })
  // A link can lead to every file.
  return files.some(([, content]) => content === null) ? treeId() : files
}
