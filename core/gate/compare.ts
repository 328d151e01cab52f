import { mayCountComments, patchFiles, type PatchFile, withoutBlankLines } from '../../engines/gate/patch.ts'
import { codeWithoutComments } from '../../engines/gate/comments.ts'
import type { TaskRunner } from '../../engines/processes/tasks.ts'
import { RepositoryError } from '../../engines/source/types.ts'
import type { Context } from '../base/context.ts'
import { engineRunner } from '../base/engines.ts'
import type { ProjectRow } from '../projects/entity.ts'
import { ownerOf } from '../projects/owner.ts'
import { storedSnapshot } from '../snapshots/stored-snapshot.ts'
import { changesFromBase, historyCommits } from '../workspaces/compare-with-base.ts'
import { RunFailure } from '../workspaces/run-failure.ts'
import { type OpenedSource, withSource } from '../workspaces/source.ts'
import type { GateRow } from './entity.ts'

const emptyBlobs = new Set([
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
])

/** The code of a gate, available while `work` runs. */
export async function withGateSource<T>(
  ctx: Context,
  project: Omit<ProjectRow, 'settings'>,
  gate: Pick<GateRow, 'snapshotId' | 'headSha'>,
  work: (source: OpenedSource) => Promise<T>,
): Promise<T> {
  const snapshot = await storedSnapshot(ctx, project, gate)
  return withSource(ctx, project, { branch: null, commitSha: gate.headSha, snapshot, historyCommits }, work)
}

export type Comparison = { headSha: string; baseSha: string; patch: PatchFile[] } | { incomparable: string }

/** Reasons that may be gone at the next attempt. */
const passing = new Set(['unreachable', 'timeout', 'cancelled'])

/**
 * Compares the commit of a gate with its base: what a merge would bring.
 *
 * @throws RunFailure if the repository cannot be reached now
 */
export async function compareGate(
  ctx: Context,
  project: Omit<ProjectRow, 'settings'>,
  gate: Pick<GateRow, 'snapshotId' | 'headSha' | 'base'>,
): Promise<Comparison> {
  try {
    return await withGateSource(ctx, project, gate, async (source) => {
      const { baseSha, changes } = await changesFromBase(source, gate.base)
      const isEmpty = (path: string) => emptyBlobs.has(source.contentId(path) ?? '')
      const runner = engineRunner(ctx, 'background', ownerOf(project))
      const patch = await withoutCommentsAndBlankLines(runner, patchFiles(changes, source.tree.paths, isEmpty), source)
      return { headSha: source.commitSha, baseSha, patch }
    })
  } catch (error) {
    if (error instanceof RepositoryError) return { incomparable: error.message }
    if (!(error instanceof RunFailure) || passing.has(error.code)) throw error
    return { incomparable: error.message }
  }
}

/** Some reports count comments and blank lines as covered, such as those of node:test. */
async function withoutCommentsAndBlankLines(
  runner: TaskRunner,
  files: readonly PatchFile[],
  source: OpenedSource,
): Promise<PatchFile[]> {
  const wanted = files.filter((file) => file.lines !== '' && mayCountComments(file)).map(({ path }) => path)
  const byPath = new Map(files.map((file) => [file.path, file]))
  for await (const { path, code } of source.readMany(wanted)) {
    const file = byPath.get(path)
    if (file) byPath.set(path, withoutBlankLines(file, await codeWithoutComments(runner, { path, source: code })))
  }
  return files.map((file) => byPath.get(file.path) ?? file)
}
