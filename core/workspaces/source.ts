import { join } from 'node:path'
import type { CommitSnapshot } from '../../engines/source/commit.ts'
import { defaultSourceLimits, RepositoryError, type TreeEntry } from '../../engines/source/types.ts'
import { cacheDirectory } from './cache-directory.ts'
import { withProjectCommit } from './project-commit.ts'
import type { Context } from '../base/context.ts'
import { redactLine } from '../base/log.ts'
import type { ProjectRow } from '../projects/entity.ts'
import type { SourceTree } from '../../engines/test-plan/plan.ts'
import { RunFailure } from './run-failure.ts'

/** A commit, listed and for as long as the work on it lasts within reach. */
export interface OpenedSource {
  commitSha: string
  branch: string | null
  tree: SourceTree
  /** Names what a file contains; undefined where there is no such file. Known for good, not only while the work lasts. */
  contentId(path: string): string | undefined
  /** Whether it has submodules, which are not fetched. */
  hasSubmodules: boolean
  checkOut(directory: string): Promise<void>
  /** Why the commit may be a stranger's, as a warning; null where it is the repository's own. */
  whyUntrusted(): Promise<string | null>
}

/** Small in a repository, a tree may be of any size on a disk: one file can have many names. */
function requireRoom({ config }: Pick<Context, 'config'>, entries: readonly TreeEntry[]): void {
  const bytes = entries.reduce((sum, { size }) => sum + (size ?? 0), 0)
  if (bytes <= config.runs.diskBytes) return
  const [found, most] = [bytes, config.runs.diskBytes].map((value) => Math.round(value / 2 ** 20).toLocaleString('en'))
  throw new RunFailure(
    'too_large',
    `The files of the commit take ${found} MiB, and a run may take ${most} MiB of disk.`,
  )
}

const maxManifestBytes = 2 ** 20
const submodule = '160000'
const regularFile = /^100/

const limits = {
  ...defaultSourceLimits,
  // Unlike an analysis, tests may need every file.
  maxBlobBytes: 512 * 2 ** 20,
  maxTotalBytes: Number.MAX_SAFE_INTEGER,
  maxCloneBytes: 4 * 2 ** 30,
  historyCommits: 0,
}

/**
 * Fetches a commit and works on it; nobody else uses the project's clone meanwhile.
 *
 * @throws RunFailure where the commit cannot be had
 */
export async function withSource<T>(
  ctx: Context,
  project: Omit<ProjectRow, 'settings'>,
  ref: { branch: string | null; commitSha: string | null },
  work: (source: OpenedSource) => Promise<T>,
): Promise<T> {
  const wanted = {
    directory: join(cacheDirectory(ctx.config, project.id), 'source'),
    ref: { branch: ref.branch ?? undefined, commitSha: ref.commitSha ?? undefined },
    limits,
  }
  try {
    return await withProjectCommit(ctx, project, wanted, (commit) => work(openedSource(ctx, project, ref, commit)))
  } catch (error) {
    if (!(error instanceof RepositoryError) || error.code === 'cancelled') throw error
    throw new RunFailure(error.code, error.message)
  }
}

function openedSource(
  ctx: Context,
  project: Pick<ProjectRow, 'branch'>,
  ref: { branch: string | null },
  commit: CommitSnapshot,
): OpenedSource {
  const { commitSha, entries } = commit
  requireRoom(ctx, entries)
  const byPath = new Map(entries.map((entry) => [entry.path, entry]))
  const read = async (entry: TreeEntry): Promise<string | null> => {
    for await (const { content } of commit.read([entry], ctx.signal)) return content?.toString('utf8') ?? null
    return null
  }
  return {
    commitSha,
    branch: ref.branch ?? commit.branch ?? null,
    hasSubmodules: entries.some(({ mode }) => mode === submodule),
    tree: {
      paths: entries.filter(({ mode }) => mode !== submodule).map(({ path }) => path),
      read: async (path) => {
        const entry = byPath.get(path)
        if (!entry || !regularFile.test(entry.mode) || (entry.size ?? Infinity) > maxManifestBytes) return null
        return read(entry)
      },
    },
    contentId: (path) => byPath.get(path)?.blobId,
    checkOut: (directory) => commit.checkOut(directory, ctx.signal),
    whyUntrusted: () => whyUntrusted(ctx, commit, [ref.branch ?? project.branch, project.branch]),
  }
}

/** Whoever may ask for a run can name any commit that the repository gives out, and hosts give out those of forks too. */
async function whyUntrusted(
  ctx: Context,
  snapshot: Pick<CommitSnapshot, 'isOnBranch'>,
  likelyBranches: readonly string[],
): Promise<string | null> {
  try {
    if (await snapshot.isOnBranch(likelyBranches, ctx.signal)) return null
    return "The commit is on no branch or tag of the repository: it ran without the project's environment."
  } catch (error) {
    if (ctx.signal.aborted) throw error
    ctx.log.warn({ err: error }, 'whether a commit is on a branch could not be found out')
    const reason = error instanceof RepositoryError ? redactLine(error.message) : 'The log of the server says why.'
    return `Assay could not check whether a branch or tag leads to the commit: it ran without the project's environment. ${reason}`
  }
}
