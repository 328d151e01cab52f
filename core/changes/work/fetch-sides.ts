import { join } from 'node:path'
import { findGoModulesApart, detectPlanApart, planTask } from '../../../engines/test-plan/detect-apart.ts'
import type { GoModule } from '../../../engines/test-plan/go-modules.ts'
import { PlanError, type PlanPart, type RunPlan, type SourceTree } from '../../../engines/test-plan/plan.ts'
import { namingField } from '../../../engines/source/base-reference.ts'
import { type ChangesOnTop, RepositoryError } from '../../../engines/source/types.ts'
import type { TaskRunner } from '../../../engines/processes/tasks.ts'
import { changedFiles } from '../../../engines/verdicts/change/changed-files.ts'
import {
  findImported,
  namedAsGenerated,
  withEditedByHand,
  withImportedCode,
} from '../../../engines/verdicts/change/disguised-code.ts'
import type { ChangedFile } from '../../../engines/verdicts/change/facts.ts'
import { findRunnerFiles } from '../../../engines/verdicts/change/runner-files.ts'
import type { TestFile } from '../../../engines/verdicts/outcome.ts'
import type { Context } from '../../base/context.ts'
import type { ProjectRow } from '../../projects/entity.ts'
import type { ProjectSettings } from '../../projects/schema.ts'
import { partOfTest } from '../../workspaces/runner/part-of-test.ts'
import { historyCommits } from '../../workspaces/compare-with-base.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import { type OpenedSource, type SourceRef, type StoredSnapshot, withSource } from '../../workspaces/source.ts'
import { type Trust, trustIn } from '../../workspaces/trust.ts'
import type { ChangeRow } from '../entity.ts'
import { headOf } from '../../snapshots/references.ts'
import { testsNoticing } from '../../selection/select-in-source.ts'

/** The parts of a side, or why its files do not show how to run its tests. */
export interface SidePlan {
  parts: readonly PlanPart[]
  problem: { code: string; message: string } | null
}

/** The commit of one side, checked out. */
export interface FetchedSide extends SidePlan {
  commitSha: string
  /** The folder for all files of the side. */
  directory: string
  checkout: string
  source: Pick<OpenedSource, 'contentId' | 'treeId'>
  paths: readonly string[]
  goModules: readonly GoModule[]
  trust: Trust
  whyUntrusted: string | null
}

export interface FetchedHead {
  side: FetchedSide
  base: { reference: string; commitSha: string }
  files: readonly ChangedFile[]
  /** Contents of the changed files after the change. */
  sources: ReadonlyMap<string, string>
  /** Changed tests and code whose contents were not read. */
  unread: readonly string[]
  /** Changed files that the runner loads besides tests. */
  runnerFiles: readonly ChangedFile[]
  /** The test files that can notice the change; null if all may. */
  noticing: readonly string[] | null
  hasSubmodules: boolean
}

export interface Fetching {
  ctx: Context
  runner: TaskRunner
  project: Omit<ProjectRow, 'settings'>
  settings: ProjectSettings
  directory: string
  /** The head, if it is a snapshot. */
  snapshot: StoredSnapshot | undefined
}

const maxSources = 500
const maxSourceLength = 16 * 2 ** 20

/**
 * Fetches the commit of the change, compares it with its base and checks it out.
 *
 * @throws RunFailure if there is nothing to fetch or to compare
 */
export function fetchHead(fetching: Fetching, change: ChangeRow): Promise<FetchedHead> {
  const { ctx, runner, project } = fetching
  runner.warm(planTask)
  const { branch = null, commitSha = null } = change.head === null ? {} : headOf(change.head)
  const { snapshot } = fetching
  return withSource(ctx, project, { branch, commitSha, snapshot, historyCommits }, async (source) => {
    if (snapshot?.source.baseSha === null && (await baseIn(source, 'HEAD')) === undefined) {
      throw new RunFailure(
        'no_commit',
        'This repository has no commit yet. Commit the code without the change first; then verify the change.',
      )
    }
    const { reference, baseSha, changes } = await compareWithBase(source, change.base, project)
    const files = withoutLinks(await withDisguisedCode(changedFiles(changes), source), source)
    const side = await openSide(fetching, source, 'head', await planSide(fetching, source.tree))
    const hasCode = files.some(({ kind }) => kind === 'code')
    const [noticing] = await Promise.all([
      hasCode ? testsNoticing(ctx, project, source, { changes, settings: fetching.settings, runner }) : null,
      source.checkOut(side.checkout),
    ])
    return {
      side,
      noticing,
      base: { reference, commitSha: baseSha },
      files,
      ...(await readSources(source.tree, pathsAfter(files))),
      runnerFiles: await findRunnerFiles(
        files,
        source.tree,
        side.parts.map(({ directory, test }) => ({ directory, command: test.command })),
      ),
      hasSubmodules: source.hasSubmodules,
    }
  })
}

/** Finds code among the changed files that have the names of tests and of generated files. */
async function withDisguisedCode(files: readonly ChangedFile[], source: OpenedSource): Promise<ChangedFile[]> {
  const importers = await findImported(files, source.tree.paths, (paths) => source.readMany(paths))
  const wanted = [...importers.keys(), ...namedAsGenerated(files).map(({ path }) => path)]
  const sources = new Map<string, string>()
  for await (const { path, code } of source.readMany(wanted)) sources.set(path, code)
  return withEditedByHand(withImportedCode(files, importers, sources), sources)
}

export interface FetchedBase {
  side: FetchedSide
  /** Parts that the base has only together with the tests of the change. */
  testParts: readonly PlanPart[]
  /** Contents of the changed code files before the change. */
  sources: ReadonlyMap<string, string>
}

/**
 * Fetches the base, and plans how to run the tests of the change on it. Checks it out unless there is a known result.
 *
 * @param changed - the new and changed tests, and all files of the change
 * @throws RunFailure if it cannot be fetched
 */
export function fetchBase<Known>(
  fetching: Fetching,
  { baseSha }: { baseSha: string },
  { tests, files }: { tests: readonly TestFile[]; files: readonly ChangedFile[] },
  findKnown: (base: Omit<FetchedBase, 'sources'>) => Promise<Known | null>,
): Promise<FetchedBase & { known: Known | null }> {
  return withBase(fetching, baseSha, async (source) => {
    const plan = await planSide(fetching, source.tree)
    const homeless = tests.some((test) => partOfTest({ parts: plan.parts }, test) === null)
    // The base may have no tests, or none in this folder.
    const extended = homeless ? await planSide(fetching, withTests(source.tree, tests)) : plan
    const testParts = extended.parts.filter((part) => !plan.parts.some((own) => isSamePart(own, part)))
    const side = await openSide(fetching, source, 'base', plan, testParts)
    const known = await findKnown({ side, testParts })
    if (known !== null) return { side, testParts, sources: new Map<string, string>(), known }
    await source.checkOut(side.checkout)
    const { sources } = await readSources(source.tree, pathsBefore(files))
    return { side, testParts, sources, known }
  })
}

/** Opens the base, which may be a commit that only the snapshot contains. */
async function withBase<T>(
  { ctx, project, snapshot }: Fetching,
  commitSha: string,
  work: (source: OpenedSource) => Promise<T>,
): Promise<T> {
  const open = (ref: SourceRef) => withSource(ctx, project, ref, work)
  try {
    return await open({ branch: null, commitSha })
  } catch (error) {
    if (!snapshot || !(error instanceof RunFailure) || error.code !== 'commit_not_found') throw error
    return open({ branch: null, commitSha, snapshot: { ...snapshot, source: { ...snapshot.source, commitSha } } })
  }
}

const isSamePart = (one: PlanPart, other: PlanPart) =>
  one.directory === other.directory && one.ecosystem === other.ecosystem && one.framework === other.framework

/** Names of branches that no feature branch has. */
const lasting = new Set(['main', 'master', 'trunk', 'develop', 'development', 'dev'])

/**
 * Returns the branch to compare with if the caller names none: that of the project, or the default one of a repository on
 * this machine if the head is on a feature branch with which the project was added.
 */
async function defaultBase(source: OpenedSource, { branch }: Pick<ProjectRow, 'branch'>): Promise<string> {
  if (lasting.has(branch)) return branch
  const usual = await source.defaultBranch()
  if (usual === undefined || usual === branch) return branch
  const [ofProject, ofRepository, head] = await Promise.all(
    [branch, usual, 'HEAD'].map((reference) => baseIn(source, reference)),
  )
  const isApart = ofProject !== undefined && ofProject !== head
  return isApart || ofRepository === undefined ? branch : usual
}

/** Returns the last commit in common with a reference; undefined if there is none. */
async function baseIn(source: OpenedSource, reference: string): Promise<string | undefined> {
  try {
    return (await source.changesOnTopOf(reference)).baseSha
  } catch (error) {
    if (!(error instanceof RepositoryError) || error.code !== 'reference_not_found') throw error
    return undefined
  }
}

/** Without a base, takes where the head left the default branch, or for a commit of that branch the one before it. */
async function compareWithBase(
  source: OpenedSource,
  base: string | null,
  project: Pick<ProjectRow, 'branch'>,
): Promise<ChangesOnTop & { reference: string }> {
  const reference = base ?? (await defaultBase(source, project))
  const found = await changesOnTopOf(source, reference)
  if (found.baseSha !== source.commitSha) return { ...found, reference }
  if (base !== null) {
    const isBase = base === 'HEAD' || base === source.commitSha
    const why = isBase
      ? `the code is that of the base, the commit ${source.commitSha}`
      : `${base} already contains the commit ${source.commitSha}`
    throw new RunFailure(
      'nothing_to_compare',
      `There is nothing to verify: ${why}. Change something, or use an earlier commit as \`base\`, such as HEAD~1.`,
    )
  }
  const before = 'HEAD~1'
  try {
    return { ...(await source.changesOnTopOf(before)), reference: before }
  } catch (error) {
    if (!(error instanceof RepositoryError) || error.code !== 'reference_not_found') throw error
    throw new RunFailure(
      'nothing_to_compare',
      `The head is the commit ${source.commitSha} of ${reference}, and Assay found no commit before it. Use an earlier commit as \`base\`.`,
    )
  }
}

async function changesOnTopOf(source: OpenedSource, reference: string): Promise<ChangesOnTop> {
  try {
    return await namingField('base', source.changesOnTopOf(reference))
  } catch (error) {
    if (!(error instanceof RepositoryError) || error.code !== 'reference_not_found') throw error
    throw new RunFailure('base_not_found', error.message)
  }
}

/** A project that cannot be planned has a problem instead of parts. */
async function planSide({ runner, settings }: Fetching, tree: SourceTree): Promise<SidePlan> {
  try {
    const { parts }: RunPlan = await detectPlanApart(runner, tree, settings, 'ALL')
    return { parts, problem: null }
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    return { parts: [], problem: { code: error.code, message: error.message } }
  }
}

async function openSide(
  { runner, directory: root }: Fetching,
  source: OpenedSource,
  name: 'head' | 'base',
  plan: SidePlan,
  testParts: readonly PlanPart[] = [],
): Promise<FetchedSide> {
  const directory = join(root, name)
  const whyUntrusted = await source.whyUntrusted()
  return {
    ...plan,
    commitSha: source.commitSha,
    directory,
    checkout: join(directory, 'checkout'),
    source,
    paths: source.tree.paths,
    goModules: await findGoModulesApart(runner, source.tree, [...plan.parts, ...testParts]),
    trust: trustIn(source, whyUntrusted),
    whyUntrusted,
  }
}

/** A symbolic link that the change adds has no code. One with another target stays, because other code is loaded there. */
const withoutLinks = (files: readonly ChangedFile[], source: OpenedSource): ChangedFile[] =>
  files.map((file) =>
    file.kind === 'code' && file.change === 'added' && source.contentId(file.path) === undefined
      ? { ...file, kind: 'other' }
      : file,
  )

/** Tests come first: a test that is not read cannot run without the change. */
const pathsAfter = (files: readonly ChangedFile[]) =>
  (['test', 'code'] as const).flatMap((wanted) =>
    files.flatMap(({ path, kind, change }) => (kind === wanted && change !== 'deleted' ? path : [])),
  )

const pathsBefore = (files: readonly ChangedFile[]) =>
  files.flatMap(({ before, kind }) => (before !== null && kind === 'code' ? before : []))

/** Reads files until the limits are reached. Links and large files are not read either. */
async function readSources(
  tree: SourceTree,
  paths: readonly string[],
): Promise<{ sources: Map<string, string>; unread: string[] }> {
  const sources = new Map<string, string>()
  const unread: string[] = []
  let length = 0
  for (const path of paths) {
    const isFull = sources.size === maxSources || length > maxSourceLength
    const source = isFull ? null : await tree.read(path)
    if (source === null) unread.push(path)
    else sources.set(path, source)
    length += source?.length ?? 0
  }
  return { sources, unread }
}

function withTests(tree: SourceTree, tests: readonly TestFile[]): SourceTree {
  const codes = new Map(tests.map(({ path, code }) => [path, code]))
  return {
    paths: [...new Set([...tree.paths, ...codes.keys()])],
    read: async (path) => codes.get(path) ?? tree.read(path),
  }
}
