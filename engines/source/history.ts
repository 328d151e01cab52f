import { join } from 'node:path'
import type { AnalysisWarning } from './schema.ts'
import { RepositoryError, type History } from './types.ts'
import { withDeadline } from './errors.ts'
import { readIfThere } from './files.ts'
import { GitError, startGit } from './git.ts'
import { pathText } from './path-text.ts'
import { nulRecords } from './records.ts'

const logOptions = 'log -z --format=%x00%ct --name-only --no-merges --no-renames --no-show-signature --root'.split(' ')
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
async function readHistory(request: HistoryRequest): Promise<History | undefined> {
  const { gitDir, commitSha, commits, paths, signal } = request
  // Where history was cut off, a commit without its parent looks as if it had added every file.
  const cuts = ((await readIfThere(join(gitDir, 'shallow'))) ?? '').split('\n').filter((line) => line !== '')
  await using git = await startGit({
    args: [...logOptions, `--max-count=${commits}`, '--stdin', commitSha],
    gitDir,
    signal,
  })
  git.stdin.end(cuts.map((commit) => `^${commit}\n`).join(''))
  const history: History = { commits: 0, changes: new Map(), recentChanges: new Map() }
  let newest: number | undefined
  let recent = false
  let expected: 'time' | 'path' | undefined
  for await (const records of nulRecords(git.stdout)) {
    for (const record of records) {
      if (record.length === 0) {
        expected = 'time'
      } else if (expected === 'time') {
        const time = Number(record.toString('latin1').trim())
        newest ??= time
        recent = time > newest - recentSeconds
        history.commits++
        expected = 'path'
      } else {
        // A line break separates the time from the first path.
        const path = pathText(expected === 'path' ? record.subarray(1) : record)
        expected = undefined
        if (!paths.has(path)) continue
        increase(history.changes, path)
        if (recent) increase(history.recentChanges, path)
      }
    }
  }
  try {
    await git.succeed()
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
  return history.commits === 0 && cuts.length > 0 ? undefined : history
}

export const unknownHistory = (): History => ({ commits: 0, changes: new Map(), recentChanges: new Map() })

export function warnUnknown(warnings: AnalysisWarning[], reason: string): void {
  warnings.push({ code: 'history_unknown', message: `The change history is not known: ${reason}` })
}

function increase(counts: Map<string, number>, path: string): void {
  counts.set(path, (counts.get(path) ?? 0) + 1)
}
