import { isLikeCommit, noCommonCommit, parseBaseReference } from './base-reference.ts'
import { localMergeBase, openLocal, resolveLocalRef } from './local.ts'
import type { CommitRef } from './reference.ts'
import { checkedLocation, type RepositorySource } from './remote.ts'

/**
 * Checks that a commit can be compared with a reference, where the repository is on this machine. Asks no server.
 *
 * @param commit - null for a snapshot, which can contain commits of its own
 * @throws RepositoryError with the code `reference_not_found`
 */
export async function requireLocalReference(
  source: RepositorySource,
  { reference, commit }: { reference: string; commit: CommitRef | null },
  signal: AbortSignal,
): Promise<void> {
  const location = checkedLocation(source, commit ?? {})
  if (location.kind !== 'local') return
  const { name } = parseBaseReference(reference)
  if (commit === null && (name === 'HEAD' || isLikeCommit(name))) return
  const repository = await openLocal(location.path, signal)
  const { commitSha } = await resolveLocalRef(repository, commit ?? {}, signal)
  const base = await localMergeBase(repository, commitSha, reference, signal)
  if (base === undefined && commit !== null) throw noCommonCommit(reference, { commits: null })
}
