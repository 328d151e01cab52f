import { join } from 'node:path'
import type { AnalysisWarning } from './schema.ts'
import { RepositoryError, type History } from './types.ts'
import { withDeadline } from './errors.ts'
import { readIfThere } from './files.ts'
import { GitError, startGit } from './git.ts'
import { pathText } from './path-text.ts'
import { nulRecords } from './records.ts'

const logOptions =
  'log -z --format=%x00%ct.%H.%P --name-only --no-merges --no-renames --no-show-signature --root'.split(' ')
const historyTimeout = 30_000
const recentSeconds = 90 * 24 * 60 * 60

export interface HistoryRequest {
  gitDir: string
  commitSha: string
  commits: number
  /** Others are not counted. */
  paths: ReadonlySet<string>
  signal: AbortSignal
}

/** The history, or in a sentence why there is none; gives up after a while, since an analysis is worth much without. */
export async function historyWithin(request: HistoryRequest): Promise<History | { unknown: string }> {
  const { signal } = request
  try {
    const history = await withDeadline(
      { signal, milliseconds: historyTimeout, what: 'Reading the history' },
      (deadline) => readHistory({ ...request, signal: deadline }),
    )
    return history ?? { unknown: 'the repository does not contain the history before this commit.' }
  } catch (error) {
    if (error instanceof RepositoryError && error.code !== 'cancelled') return { unknown: error.message }
    throw error
  }
}

/** Counts how often each path changed. Undefined when the repository does not know what came before the commit. */
async function readHistory({ paths, ...request }: HistoryRequest): Promise<History | undefined> {
  const { gitDir, commitSha, commits } = request
  const counts = new Counts(paths)
  // Where history was cut off, a commit without its parent looks as if it had added every file.
  const cuts = ((await readIfThere(join(gitDir, 'shallow'))) ?? '').split('\n').filter((line) => line !== '')
  if (cuts.length > 0) {
    const isRead = await readLog(request, [counts], cuts)
    return isRead && counts.history.commits > 0 ? counts.history : undefined
  }
  // Never two logs at once.
  latest = latest?.commits === commits ? await readOnTop(request, latest) : undefined
  if (latest) {
    for (const commit of latest.log) counts.addAll(commit)
    return counts.history
  }
  const log = new Log()
  if (!(await readLog(request, [counts, log]))) return undefined
  if (log.isWhole) latest = { commitSha, commits, log: log.commits }
  return counts.history
}

type LogRequest = Omit<HistoryRequest, 'paths'>

/** A commit that is no merge. */
interface Commit {
  commitSha: string
  /** Undefined for the first commit of all. */
  parent: string | undefined
  /** Seconds since 1970. */
  time: number
}

interface LoggedCommit extends Commit {
  changed: string[]
}

/** Takes what git tells of a commit and those before it, newest first. */
interface Listener {
  commit(commit: Commit): void
  /** That the last commit changed. */
  path(path: string): void
}

class Counts implements Listener {
  readonly history = unknownHistory()
  readonly #paths: ReadonlySet<string>
  #since: number | undefined
  #isRecent = false

  constructor(paths: ReadonlySet<string>) {
    this.#paths = paths
  }

  commit({ time }: Commit): void {
    this.#since ??= time - recentSeconds
    this.#isRecent = time > this.#since
    this.history.commits++
  }

  path(path: string): void {
    if (!this.#paths.has(path)) return
    increase(this.history.changes, path)
    if (this.#isRecent) increase(this.history.recentChanges, path)
  }

  addAll(commit: LoggedCommit): void {
    this.commit(commit)
    for (const path of commit.changed) this.path(path)
  }
}

/** Ten times what the histories of well-known repositories take. Others are made to be large. */
const maxLogLength = 16 * 2 ** 20
const lengthOfCommit = 200
/** What a path takes besides its characters. */
const lengthOfPath = 32

/** Keeps what it hears, unless that is too much. */
class Log implements Listener {
  commits: LoggedCommit[] = []
  isWhole = true
  #length = 0

  commit(commit: Commit): void {
    if (this.#hasRoomFor(lengthOfCommit)) this.commits.push({ ...commit, changed: [] })
  }

  path(path: string): void {
    if (this.#hasRoomFor(path.length + lengthOfPath)) this.commits.at(-1)?.changed.push(path)
  }

  #hasRoomFor(length: number): boolean {
    this.#length += length
    if (this.isWhole && this.#length > maxLogLength) {
      this.isWhole = false
      this.commits = []
    }
    return this.isWhole
  }
}

/** The last log that this process read. The log of a commit that follows on this one ends with it. */
let latest: { commitSha: string; commits: number; log: LoggedCommit[] } | undefined

/** Undefined if other branches were merged, whose commits would be among the known ones. */
async function readOnTop(
  request: LogRequest,
  known: NonNullable<typeof latest>,
): Promise<NonNullable<typeof latest> | undefined> {
  const { commitSha, commits } = request
  if (commitSha === known.commitSha) return known
  const added = new Log()
  if (!(await readLog(request, [added], [known.commitSha])) || !added.isWhole) return undefined
  let next = commitSha
  for (const commit of added.commits) {
    if (commit.commitSha !== next || commit.parent === undefined) return undefined
    next = commit.parent
  }
  if (next !== known.commitSha) return undefined
  return { commitSha, commits, log: [...added.commits, ...known.log].slice(0, commits) }
}

/**
 * False if objects are missing.
 *
 * @param without - these commits and those before them are left out
 */
async function readLog(
  { gitDir, commitSha, commits, signal }: LogRequest,
  listeners: readonly Listener[],
  without: readonly string[] = [],
): Promise<boolean> {
  await using git = await startGit({
    args: [...logOptions, `--max-count=${commits}`, '--stdin', commitSha],
    gitDir,
    signal,
  })
  git.stdin.end(without.map((commit) => `^${commit}\n`).join(''))
  let expected: 'commit' | 'path' | undefined
  for await (const records of nulRecords(git.stdout)) {
    for (const record of records) {
      if (record.length === 0) {
        expected = 'commit'
      } else if (expected === 'commit') {
        const [time, id = '', parent] = record.toString('latin1').trim().split('.')
        const commit = { commitSha: id, parent: parent === '' ? undefined : parent, time: Number(time) }
        for (const listener of listeners) listener.commit(commit)
        expected = 'path'
      } else {
        // A line break separates the commit from the first path.
        const path = pathText(expected === 'path' ? record.subarray(1) : record)
        for (const listener of listeners) listener.path(path)
        expected = undefined
      }
    }
  }
  try {
    await git.succeed()
    return true
  } catch (error) {
    if (error instanceof GitError) return false
    throw error
  }
}

export const unknownHistory = (): History => ({ commits: 0, changes: new Map(), recentChanges: new Map() })

export function warnUnknown(warnings: AnalysisWarning[], reason: string): void {
  warnings.push({ code: 'history_unknown', message: `The change history is not known: ${reason}` })
}

function increase(counts: Map<string, number>, path: string): void {
  counts.set(path, (counts.get(path) ?? 0) + 1)
}
