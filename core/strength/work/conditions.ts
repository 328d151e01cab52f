import { arch } from 'node:os'
import type { Executor } from '../../../engines/sandbox/executor.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import { kindOfFile } from '../../../engines/verdicts/change/changed-files.ts'
import type { ProjectSettings } from '../../projects/schema.ts'
import { digest } from '../../workspaces/digest.ts'
import type { TestSources } from './read-tests.ts'
import type { OpenedSource } from '../../workspaces/source.ts'
import { isStranger, type Trust } from '../../workspaces/trust.ts'

/** Increase it with every change that can lead to other results for the same code. */
const edition = 5

/** What the results of all mutants depend on. */
export interface Conditions {
  source: Pick<OpenedSource, 'tree' | 'contentId' | 'treeId'>
  tests: Pick<TestSources, 'listFiles' | 'readDocuments'>
  parts: readonly PlanPart[]
  settings: Pick<ProjectSettings, 'timeoutSeconds' | 'testNetwork'>
  executor: Pick<Executor, 'name'>
  environment: Readonly<Record<string, string>>
  owners: Owners
}

/** Whose results count again: those of the first owner, under which new ones are stored, and of the others. */
export type Owners = readonly [own: string, ...others: string[]]

/** What a measurement is about. */
export interface Measured {
  trust: Trust
  commitSha: string
  /** The branch that was asked for. */
  branch: string | null
  isOnProjectBranch: boolean
  /** The sender and the base of a working tree. */
  snapshot: { senderId: string; baseSha: string | null } | null
}

/**
 * Returns whose results a measurement takes over. Tests can forge results, so that those of code that nobody may have
 * reviewed count for what contains this code: the same commit or branch, and working trees on top of the commit. A sender's
 * own working trees take over results of each other while they are based on the same commit.
 */
export function ownersOf({ trust, commitSha, branch, isOnProjectBranch, snapshot }: Measured): Owners {
  if (snapshot) {
    const { senderId, baseSha } = snapshot
    const ofBase = baseSha === null ? [] : [`commit:${baseSha}`]
    return [`sender:${senderId}:${baseSha ?? ''}`, ...ofBase, 'project']
  }
  if (isStranger(trust)) return [trust, 'project']
  if (isOnProjectBranch) return ['project']
  return [branch === null ? `commit:${commitSha}` : `branch:${branch}`, 'project']
}

/** Returns the digests under which results of the owners are found. */
export function conditionsOf(conditions: Conditions): [own: string, ...others: string[]] {
  const { source, tests, parts, settings, executor, environment } = conditions
  const { timeoutSeconds, testNetwork } = settings
  const variables = Object.entries(environment).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const machine = [executor.name, arch(), process.version]
  const ground = [edition, machine, parts, timeoutSeconds, testNetwork, variables, groundOf(source, tests)]
  const [own, ...others] = conditions.owners
  const keyOf = (owner: string) => digest([...ground, owner])
  return [keyOf(own), ...others.map(keyOf)]
}

const isText = (path: string) =>
  ['.md', '.markdown', '.rst', '.adoc'].some((ending) => path.toLowerCase().endsWith(ending))

/**
 * Everything that no test names: configuration, lockfiles, data and what supports tests; documents if tests read them; all
 * names if something lists folders, and else the names that an import can mean two files with.
 */
function groundOf(
  { tree, contentId, treeId }: Conditions['source'],
  { listFiles, readDocuments }: Conditions['tests'],
): unknown {
  const paths = new Set(tree.paths)
  // A test depends on its own stored snapshots only.
  const isOfTest = (path: string) =>
    path.endsWith('.snap') && paths.has(path.slice(0, -'.snap'.length).replace('__snapshots__/', ''))
  const files = tree.paths.flatMap((path) => {
    if (isOfTest(path)) return []
    const kind = kindOfFile(path)
    const isData = kind === 'other' && (readDocuments || !isText(path))
    return kind === 'test_support' || isData ? [[path, contentId(path) ?? null]] : []
  })
  // A link can lead to every file.
  if (files.some(([, content]) => content === null)) return treeId()
  return [files, listFiles ? tree.paths : ambiguousPaths(tree.paths)]
}

/** Files of which an import without an ending can mean either: `limits.js` and `limits/index.js`. */
function ambiguousPaths(paths: readonly string[]): string[] {
  const code = paths.filter((path) => kindOfFile(path) === 'code')
  const byName = Map.groupBy(code, (path) => path.replace(/\.[^/.]+$/, '').replace(/\/(?:index|__init__)$/, ''))
  return [...byName.values()].filter(({ length }) => length > 1).flat()
}
