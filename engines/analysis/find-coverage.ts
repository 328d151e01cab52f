import { hasWholeRun, type MeasuredRow } from '../coverage/measured.ts'
import { carryMeasured } from '../coverage/unlisted.ts'
import type { CommitSnapshot } from '../source/commit.ts'
import { type Changes, RepositoryError, type Snapshot } from '../source/types.ts'
import type { KnownCoverage, KnownFile } from './types.ts'

const unchanged = { changed: new Map(), gone: new Set<string>(), added: new Set<string>() }

/** What runs and uploads measured of one commit. */
export interface MeasuredCommit {
  commitSha: string
  /** Commits since. */
  behind: number
  files: readonly MeasuredRow[]
}

/**
 * Finds the newest measured coverage of the commit and of those before it, back to one that a run of all tests measured,
 * and moves it to the commit's lines.
 *
 * @param load - returns the `MeasuredRow`s of a commit
 */
export function findCoverage(
  snapshot: CommitSnapshot,
  measuredCommits: ReadonlySet<string>,
  load: (commitSha: string) => Promise<unknown>,
  signal: AbortSignal,
): Promise<KnownCoverage | undefined> {
  async function* commits(): AsyncGenerator<MeasuredCommit> {
    if (measuredCommits.size === 0) return
    for await (const ancestor of snapshot.nearestOf(measuredCommits, signal)) {
      // The parent answers with what it was started for.
      const files = (await load(ancestor.commitSha)) as readonly MeasuredRow[]
      yield { ...ancestor, files }
      if (hasWholeRun(files)) return
    }
  }
  return carryCommits(snapshot, commits(), ({ commitSha, behind }) =>
    behind === 0 ? Promise.resolve(unchanged) : snapshot.changesSince(commitSha, signal),
  )
}

/**
 * Moves the coverage of several commits, the nearest first, to a later one. Of a file that several of them measured, the
 * nearest counts: an upload of some files leaves the other ones as they were known. Coverage that cannot be moved is left
 * out with a warning, because an analysis is worth much without it.
 */
export async function carryCommits(
  snapshot: Pick<Snapshot, 'entries' | 'warnings'>,
  commits: AsyncIterable<MeasuredCommit> | Iterable<MeasuredCommit>,
  changesSince: (commit: MeasuredCommit) => Promise<Changes>,
): Promise<KnownCoverage | undefined> {
  const paths = snapshot.entries.map(({ path }) => path)
  const files = new Map<string, KnownFile>()
  const gone = new Set<string>()
  const reported = new Set<string>()
  const used: { commitSha: string; behind: number; measuredFiles: number }[] = []
  let changedFiles = 0
  try {
    for await (const commit of commits) {
      // Comparing commits takes more time than reading what was measured.
      if (used.length > 0 && commit.files.every(([path]) => reported.has(path))) continue
      for (const [path] of commit.files) reported.add(path)
      const { commitSha, behind } = commit
      const carried = carryMeasured(commit.files, await changesSince(commit), paths)
      const from = { commitSha, behind }
      const news = [...carried.files].filter(([path]) => !files.has(path))
      for (const [path, file] of news) files.set(path, { ...file, from })
      for (const [path, file] of carried.unlisted) {
        if (files.has(path)) continue
        files.set(path, { ...file, from, isUnlisted: true })
      }
      changedFiles += news.filter(([path]) => carried.changedFiles.has(path)).length
      for (const path of carried.goneFiles) gone.add(path)
      used.push({ ...from, measuredFiles: news.length })
    }
  } catch (error) {
    if (!(error instanceof RepositoryError) || error.code === 'cancelled') throw error
    snapshot.warnings.push({
      code: 'coverage_unknown',
      message: `The measured coverage of an earlier commit could not be used: ${error.message}`,
    })
  }
  const [nearest, ...others] = used.filter(({ measuredFiles }) => measuredFiles > 0)
  const first = nearest ?? used[0]
  if (!first) return undefined
  const { commitSha, behind } = first
  return {
    commitSha,
    behind,
    files,
    changedFiles,
    goneFiles: gone.size,
    ...(others.length > 0 && { earlier: others }),
  }
}

/**
 * Leaves out the files that a whole run does not list although tests load them: settings of the project keep them out of
 * its coverage, so nothing is known of them.
 *
 * @param isLoaded - whether tests import the file, directly or through others
 */
export function withoutLeftOut(coverage: KnownCoverage, isLoaded: (path: string) => boolean): KnownCoverage {
  const kept = [...coverage.files].filter(([path, file]) => !file.isUnlisted || !isLoaded(path))
  return { ...coverage, files: new Map(kept) }
}
