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
  /** Others are not counted: no more is kept than the tree has files. */
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
  const log = await readLog(request)
  if (!log) return undefined
  const history: History = { commits: log.length, changes: new Map(), recentChanges: new Map() }
  const since = (log[0]?.time ?? 0) - recentSeconds
  for (const { time, changed } of log) {
    for (const path of changed) {
      if (!paths.has(path)) continue
      increase(history.changes, path)
      if (time > since) increase(history.recentChanges, path)
    }
  }
  return history
}

type LogRequest = Omit<HistoryRequest, 'paths'>

/** A commit that is no merge. */
interface LoggedCommit {
  commitSha: string
  /** Undefined for the first commit of all. */
  parent: string | undefined
  /** Seconds since 1970. */
  time: number
  changed: string[]
}

/** The last complete log that this process read. The log of a commit that follows on this one ends with it. */
let latest: { commitSha: string; commits: number; log: LoggedCommit[] } | undefined

/** The commit and those before it, newest first. */
async function readLog(request: LogRequest): Promise<LoggedCommit[] | undefined> {
  const { gitDir, commitSha, commits } = request
  // Where history was cut off, a commit without its parent looks as if it had added every file.
  const cuts = ((await readIfThere(join(gitDir, 'shallow'))) ?? '').split('\n').filter((line) => line !== '')
  if (cuts.length > 0) {
    const log = await logOf(request, cuts)
    return log?.length === 0 ? undefined : log
  }
  const log = (latest?.commits === commits && (await readOnTop(request, latest))) || (await logOf(request))
  if (log) latest = { commitSha, commits, log }
  return log
}

/** Undefined if other branches were merged, whose commits would be among the known ones. */
async function readOnTop(request: LogRequest, known: NonNullable<typeof latest>): Promise<LoggedCommit[] | undefined> {
  if (request.commitSha === known.commitSha) return known.log
  const added = await logOf(request, [known.commitSha])
  let next = request.commitSha
  for (const { commitSha, parent } of added ?? []) {
    if (commitSha !== next || parent === undefined) return undefined
    next = parent
  }
  return added && next === known.commitSha ? [...added, ...known.log].slice(0, request.commits) : undefined
}

/**
 * Returns undefined if objects are missing.
 *
 * @param without - these commits and those before them are left out
 */
async function logOf(
  { gitDir, commitSha, commits, signal }: LogRequest,
  without: readonly string[] = [],
): Promise<LoggedCommit[] | undefined> {
  await using git = await startGit({
    args: [...logOptions, `--max-count=${commits}`, '--stdin', commitSha],
    gitDir,
    signal,
  })
  git.stdin.end(without.map((commit) => `^${commit}\n`).join(''))
  const log: LoggedCommit[] = []
  let expected: 'commit' | 'path' | undefined
  for await (const records of nulRecords(git.stdout)) {
    for (const record of records) {
      if (record.length === 0) {
        expected = 'commit'
      } else if (expected === 'commit') {
        const [time, id = '', parent] = record.toString('latin1').trim().split('.')
        log.push({ commitSha: id, parent: parent === '' ? undefined : parent, time: Number(time), changed: [] })
        expected = 'path'
      } else {
        // A line break separates the commit from the first path.
        log.at(-1)?.changed.push(pathText(expected === 'path' ? record.subarray(1) : record))
        expected = undefined
      }
    }
  }
  try {
    await git.succeed()
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
  return log
}

export const unknownHistory = (): History => ({ commits: 0, changes: new Map(), recentChanges: new Map() })

export function warnUnknown(warnings: AnalysisWarning[], reason: string): void {
  warnings.push({ code: 'history_unknown', message: `The change history is not known: ${reason}` })
}

function increase(counts: Map<string, number>, path: string): void {
  counts.set(path, (counts.get(path) ?? 0) + 1)
}
