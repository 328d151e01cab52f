import { type ChangesOnTop, RepositoryError } from '../../engines/source/types.ts'
import type { OpenedSource } from './source.ts'

/** So far back a branch may have left another one. Sources that are compared are opened with so much history. */
export const historyCommits = 1_000

/**
 * Returns what a merge into the base would bring. A commit of the base itself is compared with the commit before it.
 *
 * @throws RepositoryError if the base is not found, or there is no commit to compare with
 */
export async function changesFromBase(source: OpenedSource, base: string): Promise<ChangesOnTop> {
  const found = await source.changesOnTopOf(base)
  if (found.baseSha !== source.commitSha) return found
  try {
    return await source.changesOnTopOf('HEAD~1')
  } catch (error) {
    if (!(error instanceof RepositoryError) || error.code !== 'reference_not_found') throw error
    throw new RepositoryError(
      'reference_not_found',
      `The commit ${source.commitSha} is on ${base}, and has no earlier commit to compare with. Name another base.`,
    )
  }
}
