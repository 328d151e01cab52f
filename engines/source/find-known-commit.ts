import { type Clone, discardPart, fetchedCommit, fetchInto, gitDirOf, openClone } from './clone.ts'
import { withDeadline } from './errors.ts'
import { bytesBelow, removeIfEmpty } from './files.ts'
import { GitError, startGit } from './git.ts'
import { openLocal } from './local.ts'
import { lockDirectory } from './lock.ts'
import { historiesToAsk } from './on-branch.ts'
import { objectTypes } from './parents.ts'
import { lineRecords } from './records.ts'
import { checkedLocation, listBranchesAndTags, reachRemote, type Remote, type RepositorySource } from './remote.ts'
import { RepositoryError, type SourceLimits } from './types.ts'

export interface FindKnownCommitOptions extends RepositorySource {
  /** The project's clone, as `openCommit` takes it. */
  directory: string
  /** Commits of a checkout, newest first. Texts that are no ids of commits are ignored. */
  commits: readonly string[]
  /** Branches whose recent history is looked at. */
  likely: readonly string[]
  limits: SourceLimits
  signal: AbortSignal
}

/**
 * Finds the first of the commits that `openCommit` can fetch: that a local repository has, or that a branch or tag of a
 * server leads to. Of a server, only the recent history of the likely branches is looked at; without one that is found,
 * that of all branches. Returns null if no commit is found, which costs the caller a larger pack but is never wrong.
 */
export async function findKnownCommit(options: FindKnownCommitOptions): Promise<string | null> {
  const { limits } = options
  const location = checkedLocation(options, {})
  const commits = options.commits.filter((text) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text))
  if (commits.length === 0) return null
  const bounds = { milliseconds: limits.fetchTimeoutMs, what: 'Looking for a known commit' }
  const find = async (signal: AbortSignal) => {
    if (location.kind === 'local') {
      const { gitDir } = await openLocal(location.path, signal)
      return (await firstPresent(gitDir, commits, signal)) ?? null
    }
    const remote = await reachRemote(location, options, signal)
    const listed = await listBranchesAndTags(remote, signal)
    const tips = new Set(listed.values())
    const tip = commits.find((commit) => tips.has(commit))
    if (tip === commits[0]) return tip ?? null
    // A commit of a branch's history may be newer than the newest one that a branch or tag points to.
    const newer = tip === undefined ? commits : commits.slice(0, commits.indexOf(tip))
    const question: Question = { remote, listed, commits: newer, tip, options }
    const search = { ...bounds, signal, milliseconds: Math.ceil(limits.fetchTimeoutMs / 2) }
    const found = await withDeadline(search, (deadline) => searchHistories(question, deadline)).catch(noneFound)
    return found ?? tip ?? null
  }
  return withDeadline({ ...bounds, signal: options.signal }, find)
}

/** The histories are too large or too slow to fetch. An older commit is as good, only the pack is larger. */
function noneFound(error: unknown): undefined {
  const isExpected = error instanceof RepositoryError && (error.code === 'too_large' || error.code === 'timeout')
  if (!(error instanceof GitError) && !isExpected) throw error
}

interface Question {
  remote: Remote
  /** Branches and tags by their full names. */
  listed: ReadonlyMap<string, string>
  commits: readonly string[]
  /** The first older commit that a branch or tag points to. */
  tip: string | undefined
  options: FindKnownCommitOptions
}

async function searchHistories(question: Question, signal: AbortSignal): Promise<string | undefined> {
  const { listed, tip, options } = question
  const { directory, limits } = options
  // A branch whose tip is an older commit has no newer one.
  const likely = options.likely.filter((name) => {
    const commitSha = listed.get(`refs/heads/${name}`)
    return commitSha !== undefined && commitSha !== tip
  })
  if (likely.length === 0 && tip !== undefined) return undefined
  await using stack = new AsyncDisposableStack()
  stack.defer(() => removeIfEmpty(directory))
  stack.use(await lockDirectory(directory, signal))
  const format = question.commits[0]?.length === 64 ? 'sha256' : 'sha1'
  const clone = await openClone(directory, question.remote.url, format, limits)
  const kept = await searchKept(clone, question, signal)
  if (kept !== undefined) return kept
  stack.defer(() => discardPart(directory, 'ancestry'))
  // Awaited here, before the stack is disposed of.
  return await searchServer(clone, question, likely, signal)
}

/** Looks at the history that an analysis fetched, if a branch still points to its commit. */
async function searchKept(clone: Clone, { listed, commits }: Question, signal: AbortSignal) {
  const newest = await fetchedCommit(clone, 'history', signal)
  if (newest === undefined || ![...listed.values()].includes(newest)) return undefined
  const wanted = new Set(commits)
  const found = new Set<string>()
  const gitDir = gitDirOf(clone.directory, 'history')
  await using git = await startGit({ args: ['rev-list', `--max-count=${maxKept}`, newest], gitDir, signal })
  git.stdin.end()
  for await (const lines of lineRecords(git.stdout)) {
    for (const line of lines) {
      const id = line.toString('latin1')
      if (wanted.has(id)) found.add(id)
    }
  }
  return commits.find((commit) => found.has(commit))
}

const maxKept = 10_000

async function searchServer(
  clone: Clone,
  { remote, listed, commits, tip }: Question,
  likely: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  // A server that cannot leave out the files sends all their versions.
  const maxBytes = Math.min(clone.maxBytes, (await bytesBelow(clone.directory)) + Math.floor(clone.maxBytes / 4))
  const branches = [...listed.keys()].filter((name) => name.startsWith('refs/heads/'))
  for (const { refspec, depth, isLikely } of historiesToAsk(branches, likely)) {
    if (!isLikely && tip !== undefined) continue
    await fetchInto(clone, 'ancestry', { remote, refspecs: [refspec], depth, filter: 'tree:0', maxBytes, signal })
    const found = await firstPresent(gitDirOf(clone.directory, 'ancestry'), commits, signal)
    if (found !== undefined) return found
  }
  return undefined
}

async function firstPresent(gitDir: string, commits: readonly string[], signal: AbortSignal) {
  const types = await objectTypes({ gitDir, signal }, commits)
  return commits.find((_commit, index) => types[index] === 'commit')
}
