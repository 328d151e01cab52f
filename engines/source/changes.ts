import { lineStarts } from './line-starts.ts'
import { type GitCommand, GitError, startGit } from './git.ts'
import { pathText } from './path-text.ts'
import { lineRecords } from './records.ts'
import type { Changes, FileChange, Hunk } from './types.ts'

export interface Ancestor {
  commitSha: string
  /** Commits that the later one has and this one does not. */
  behind: number
}

export interface ComparedRepository {
  gitDir: string
  /** Further folders of objects. */
  objects?: readonly string[]
  signal: AbortSignal
}

/** More would make the comparisons of a ranking slow. */
const maxAncestors = 5

/** Finds those of some commits that come last before a commit, and that commit if it is one of them; the nearest first. */
export async function nearestAncestors(
  { gitDir, signal }: ComparedRepository,
  commitSha: string,
  wanted: ReadonlySet<string>,
  maxCommits: number,
): Promise<Ancestor[]> {
  const ancestors: Ancestor[] = []
  for (const found of await lastOf({ gitDir, signal }, commitSha, wanted, maxCommits)) {
    await using git = await startGit({ args: ['rev-list', '--count', `${found}..${commitSha}`], gitDir, signal })
    git.stdin.end()
    let text = ''
    for await (const chunk of git.stdout) text += String(chunk)
    await git.succeed()
    ancestors.push({ commitSha: found, behind: Number(text) })
  }
  return ancestors
}

async function lastOf(
  { gitDir, signal }: ComparedRepository,
  commitSha: string,
  wanted: ReadonlySet<string>,
  maxCommits: number,
): Promise<string[]> {
  await using git = await startGit({
    args: ['rev-list', '--date-order', `--max-count=${maxCommits}`, commitSha],
    gitDir,
    signal,
  })
  git.stdin.end()
  const found: string[] = []
  for await (const lines of lineRecords(git.stdout)) {
    for (const line of lines) {
      const id = line.toString('latin1')
      if (wanted.has(id) && found.push(id) === maxAncestors) return found
    }
  }
  await git.succeed()
  return found
}

// Above this number git compares only files of the same content, because it compares every pair.
const maxRenames = 1_000
/** Has git print what `readChanges` reads, without starting a program. */
const diffOptions =
  `-z --raw -p --unified=0 --no-color --no-ext-diff --no-textconv --no-relative --full-index -M -l${maxRenames}`.split(
    ' ',
  )

/**
 * Compares two commits.
 *
 * @throws GitError if the contents of one are not there
 */
export async function listChanges(
  { gitDir, objects = [], signal }: ComparedRepository,
  from: string,
  to: string,
): Promise<Changes> {
  const command = (...options: string[]): GitCommand => ({
    args: ['diff-tree', '-r', ...options, ...diffOptions, from, to],
    gitDir,
    signal,
    environment: { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects.map(quoted).join(':') },
  })
  const { binary, ...changes } = await readChanges(command())
  if (binary.size === 0) return changes
  // A single NUL byte makes a file binary for git, although it may be code.
  const ids = [...binary.values()].flat()
  if ((await bytesOf({ ...command(), args: ['cat-file', '--batch-check=%(objectsize)'] }, ids)) <= maxBinaryBytes)
    return withoutBinary(await readChanges(command('--text')))
  return asReplaced(changes, binary.keys())
}

/** Git holds both contents of a file in memory while it compares them. */
const maxBinaryBytes = 64 * 2 ** 20

async function bytesOf(command: GitCommand, ids: readonly string[]): Promise<number> {
  await using git = await startGit(command)
  git.stdin.end(ids.map((id) => `${id}\n`).join(''))
  let bytes = 0
  for await (const lines of lineRecords(git.stdout)) {
    for (const line of lines) bytes += Number(line.toString('latin1'))
  }
  await git.succeed()
  return bytes
}

const withoutBinary = ({ changed, gone, added }: Changes): Changes => ({ changed, gone, added })

/** Counts files as gone and new. */
function asReplaced({ changed, gone, added }: Changes, paths: Iterable<string>): Changes {
  const replaced = new Map([...paths].map((path) => [path, changed.get(path)?.before ?? path]))
  return {
    changed: new Map([...changed].filter(([path]) => !replaced.has(path))),
    gone: new Set([...gone, ...replaced.values()]),
    added: new Set([...added, ...replaced.keys()]),
  }
}

/** Compares two commits without looking into files: every file that differs counts as gone and new. */
export async function listChangedFiles(
  { gitDir, objects = [], signal }: ComparedRepository,
  from: string,
  to: string,
): Promise<Changes> {
  const { changed, gone, added } = await readChanges({
    args: ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--full-index', from, to],
    gitDir,
    signal,
    environment: { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects.map(quoted).join(':') },
  })
  return { changed: new Map(), gone, added: new Set([...added, ...changed.keys()]) }
}

/**
 * Compares a commit with the tracked files of a working tree as they are on disk.
 *
 * @param index - a copy of the tree's index, which git may write to
 */
export async function listWorkingChanges(
  {
    gitDir,
    signal,
    top,
    index,
    maxBlobBytes,
  }: ComparedRepository & { top: string; index: string; maxBlobBytes: number },
  from: string,
): Promise<Changes> {
  const changes = await readChanges({
    args: ['diff', ...diffOptions, '--ignore-submodules=dirty', from, '--'],
    gitDir,
    cwd: top,
    signal,
    environment: { GIT_WORK_TREE: top, GIT_INDEX_FILE: index },
    // Larger files are not analyzed.
    settings: [['core.bigFileThreshold', String(maxBlobBytes)]],
  })
  return withoutBinary(changes)
}

interface ReadChanges extends Changes {
  /** The ids of the contents of changed files that git did not compare, because it takes them for binary. */
  binary: ReadonlyMap<string, readonly string[]>
}

async function readChanges(command: GitCommand): Promise<ReadChanges> {
  await using git = await startGit(command)
  git.stdin.end()
  const reader = new ChangesReader()
  for await (const chunk of git.stdout as AsyncIterable<Buffer>) reader.read(chunk)
  await git.succeed()
  return reader.finish()
}

/** As git reads paths that may contain its separator. */
const quoted = (path: string) => `"${path.replace(/["\\]/g, '\\$&')}"`

interface Patch {
  path: string
  /** The contents before and after. */
  ids: readonly string[]
  /** Null for files that are gone or new. */
  hunks: Hunk[] | null
}

/** Reads the list of files, which ends with an empty record, and then the patch, of which only the hunks matter. */
class ChangesReader {
  readonly #changed = new Map<string, FileChange & { hunks: Hunk[] }>()
  readonly #gone = new Set<string>()
  readonly #added = new Set<string>()
  /** The changes in the order of their patches. A file that became another type has two patches. */
  readonly #patches: Patch[] = []
  readonly #binary = new Map<string, readonly string[]>()
  #rest: Buffer = Buffer.alloc(0)
  #status = ''
  #ids: readonly string[] = []
  #paths: string[] = []
  #inPatch = false
  #next = 0
  #patch: Patch | undefined
  readonly #lines = lineStarts(maxHeader, (line) => this.#readLine(line))

  read(chunk: Buffer): void {
    if (this.#inPatch) return this.#lines.read(chunk)
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0)) {
      const record = bytes.subarray(0, end)
      bytes = bytes.subarray(end + 1)
      if (record.length === 0) {
        this.#inPatch = true
        return this.#lines.read(bytes)
      }
      this.#readRecord(record)
    }
    if (bytes.length > maxRecord) throw new GitError('diff-tree', null, null, 'fatal: a path is too long')
    this.#rest = bytes
  }

  finish(): ReadChanges {
    this.#lines.end()
    return { changed: this.#changed, gone: this.#gone, added: this.#added, binary: this.#binary }
  }

  #readRecord(record: Buffer): void {
    if (this.#status === '') {
      // ":100644 100644 <id> <id> R087"
      const [, , before = '', after = '', status = ''] = record.toString('latin1').split(' ')
      this.#status = status
      this.#ids = [before, after]
      return
    }
    this.#paths.push(pathText(record))
    const kind = this.#status[0] ?? ''
    if ('RC'.includes(kind) && this.#paths.length === 1) return
    const [before = '', path = before] = this.#paths
    this.#status = ''
    this.#paths = []
    this.#note(kind, before, path)
  }

  #note(kind: string, before: string, path: string): void {
    if (kind === 'M' || kind === 'R') {
      const change = { before, hunks: [] }
      this.#changed.set(path, change)
      this.#patches.push({ path, ids: this.#ids, hunks: change.hunks })
      if (kind === 'R') this.#gone.add(before)
      return
    }
    if (kind !== 'D') this.#added.add(path)
    if (kind !== 'A') this.#gone.add(before)
    const patch = { path, ids: this.#ids, hunks: null }
    this.#patches.push(...(kind === 'T' ? [patch, patch] : [patch]))
  }

  #readLine(line: string): void {
    if (line.startsWith('diff --git ')) this.#patch = this.#patches[this.#next++]
    const { path = '', ids = [], hunks = null } = this.#patch ?? {}
    if (hunks !== null && line.startsWith('Binary files ')) this.#binary.set(path, ids)
    if (hunks === null || !line.startsWith('@@ ')) return
    const [, oldStart, oldLines = '1', newStart, newLines = '1'] =
      /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/.exec(line) ?? []
    if (oldStart === undefined || newStart === undefined) return
    hunks.push({
      oldStart: Number(oldStart),
      oldLines: Number(oldLines),
      newStart: Number(newStart),
      newLines: Number(newLines),
    })
  }
}

const maxHeader = 64
const maxRecord = 2 ** 20
