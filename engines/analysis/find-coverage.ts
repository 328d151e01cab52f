import type { MeasuredRow } from '../coverage/measured.ts'
import { carryMeasured } from '../coverage/unlisted.ts'
import type { CommitSnapshot } from '../source/commit.ts'
import { RepositoryError } from '../source/types.ts'
import type { KnownCoverage } from './types.ts'

const unchanged = { changed: new Map(), gone: new Set<string>(), added: new Set<string>() }

/**
 * Finds the newest measured coverage of the commit or of one before it, and moves it to the commit's lines. Coverage that
 * cannot be moved is left out with a warning, because an analysis is worth much without it.
 *
 * @param load - returns the `MeasuredRow`s of a commit
 */
export async function findCoverage(
  snapshot: CommitSnapshot,
  measuredCommits: ReadonlySet<string>,
  load: (commitSha: string) => Promise<unknown>,
  signal: AbortSignal,
): Promise<KnownCoverage | undefined> {
  if (measuredCommits.size === 0) return undefined
  try {
    const ancestor = await snapshot.nearestOf(measuredCommits, signal)
    if (!ancestor) return undefined
    const { commitSha, behind } = ancestor
    const changes = behind === 0 ? unchanged : await snapshot.changesSince(commitSha, signal)
    // The parent answers with what it was started for.
    const rows = (await load(commitSha)) as readonly MeasuredRow[]
    const paths = snapshot.entries.map(({ path }) => path)
    return { commitSha, behind, ...carryMeasured(rows, changes, paths) }
  } catch (error) {
    if (!(error instanceof RepositoryError) || error.code === 'cancelled') throw error
    snapshot.warnings.push({
      code: 'coverage_unknown',
      message: `The measured coverage of an earlier commit could not be used: ${error.message}`,
    })
    return undefined
  }
}
