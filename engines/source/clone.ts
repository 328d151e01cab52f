import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SourceLimits } from './types.ts'
import { RepositoryError } from './types.ts'
import { makeBareRepository, type ObjectFormat, writeSettings } from './bare-repository.ts'
import { bytesBelow, discard, emptyTrash, isThere, listIfThere, readIfThere } from './files.ts'
import { GitError, type GitSetting, runGit } from './git.ts'
import { commitOf } from './local.ts'
import type { Remote } from './remote.ts'

/**
 * The parts of a clone that are kept between analyses. Contents and history are separate repositories: a server assumes
 * that a client with a commit has all files of its history, so one repository would miss files that return to an old state.
 */
const parts = {
  content: 'content.git',
  history: 'history.git',
  branches: 'branches.git',
  ancestry: 'ancestry.git',
  earlier: 'earlier.git',
  base: 'base.git',
  local: 'local.git',
  snapshot: 'snapshot.git',
  snapshotHistory: 'snapshot-history.git',
} as const
export type ClonePart = keyof typeof parts

export interface Clone {
  directory: string
  format: ObjectFormat
  maxBytes: number
  maxBlobBytes: number
  /** What it was made for; a clone that was made for anything else is of no use. */
  identity: string
}

export interface FetchRequest {
  remote: Remote
  refspecs: string[]
  depth: number
  /** What to leave out; a server that cannot do so sends everything. */
  filter: string
  maxBytes?: number
  signal: AbortSignal
}

const fetchOptions =
  'fetch --quiet --no-tags --no-write-fetch-head --no-auto-maintenance --no-recurse-submodules'.split(' ')
const commitRef = 'refs/assay/commit'
const identityFile = 'clone.json'
const refusalFile = 'history.refused'
const measureInterval = 100
// Every fetch adds a pack; reading gets slower with their number, and old contents are never removed from them.
const maxPacks = 50

/** Reuses the clone of earlier analyses, and deletes the parts that cannot be reused. The directory must be locked. */
export async function openClone(
  directory: string,
  url: string,
  format: ObjectFormat,
  limits: SourceLimits,
): Promise<Clone> {
  const { maxBlobBytes, maxCloneBytes, historyCommits } = limits
  const identityWith = (commits: number) =>
    JSON.stringify({ layout: 1, url, format, maxBlobBytes, maxCloneBytes, historyCommits: commits })
  await emptyTrash(directory)
  const kept = await readIfThere(join(directory, identityFile))
  const known = kept === undefined ? 0 : historyOf(kept)
  // Callers that need no history share the clone with those that do.
  const isSame = historyCommits === known || historyCommits === 0 || known === 0
  const identity = identityWith(isSame ? Math.max(historyCommits, known) : historyCommits)
  if (!isSame || kept !== identityWith(known)) await discardClone(directory)
  for (const part of ['branches', 'ancestry'] as const) await discardPart(directory, part)
  return { directory, format, maxBytes: maxCloneBytes, maxBlobBytes, identity }
}

/** Returns how many commits of history a clone was made for. */
const historyOf = (identity: string) => Number(/"historyCommits":(\d{1,9})\}$/.exec(identity)?.[1] ?? 0)

/** Returns the URL of the repository whose commits a clone holds; undefined if there is no complete clone. */
export async function urlOfClone(directory: string): Promise<string | undefined> {
  const kept = await readIfThere(join(directory, identityFile))
  const [, url] = /^\{"layout":1,"url":("[^"\\]*")/.exec(kept ?? '') ?? []
  return url === undefined ? undefined : String(JSON.parse(url))
}

/** Marks the clone as reusable. */
export const keepClone = (clone: Clone) => writeFile(join(clone.directory, identityFile), clone.identity)

/** Notes down that this clone does without history, and why. */
export const refuseHistory = (clone: Clone, reason: string) => writeFile(join(clone.directory, refusalFile), reason)

export const historyRefusal = (clone: Clone) => readIfThere(join(clone.directory, refusalFile))

/** Deletes all that was fetched. */
export async function discardClone(directory: string): Promise<void> {
  await rm(join(directory, identityFile), { force: true })
  for (const part of Object.keys(parts) as ClonePart[]) await discardPart(directory, part)
  await rm(join(directory, refusalFile), { force: true })
}

export const gitDirOf = (directory: string, part: ClonePart) => join(directory, parts[part])

export async function discardPart(directory: string, part: ClonePart): Promise<void> {
  await discard(gitDirOf(directory, part))
  await rm(unfinishedMark(directory, part), { force: true })
}

export const isMade = (clone: Clone, part: ClonePart) => isThere(join(gitDirOf(clone.directory, part), 'HEAD'))

/** Returns the commit that the part was last fetched for; undefined if there is none or the fetch was interrupted. */
export async function fetchedCommit(clone: Clone, part: ClonePart, signal: AbortSignal): Promise<string | undefined> {
  const gitDir = gitDirOf(clone.directory, part)
  const cutOff = await isThere(unfinishedMark(clone.directory, part))
  if (cutOff || (await countPacks(gitDir)) > maxPacks) await discardPart(clone.directory, part)
  return (await isMade(clone, part)) ? commitOf(gitDir, commitRef, signal) : undefined
}

/** Fetches into a part of the clone and returns the commit that came. A fetch that fails leaves nothing of the part. */
export async function fetchInto(clone: Clone, part: ClonePart, request: FetchRequest): Promise<string | undefined> {
  const { directory, format } = clone
  const gitDir = gitDirOf(directory, part)
  const mark = unfinishedMark(directory, part)
  await writeFile(mark, '')
  try {
    await mkdir(gitDir, { recursive: true })
    if (await isMade(clone, part)) await writeSettings(gitDir, format)
    else await makeBareRepository(gitDir, format)
    await fetchChecked(clone, gitDir, request)
    await writeSettings(gitDir, format)
  } catch (error) {
    await discardPart(directory, part)
    throw error
  }
  await rm(mark)
  return commitOf(gitDir, commitRef, request.signal)
}

export const commitRefspec = (source: string) => `+${source}:${commitRef}`

/**
 * Git checks what it is sent. Its settings for overlooking something have no effect on partial fetches, so a harmless
 * defect costs the whole check; nothing here relies on it, since objects are only read and never become files.
 */
async function fetchChecked(clone: Clone, gitDir: string, request: FetchRequest): Promise<void> {
  try {
    await fetchWithinSize(clone, gitDir, request, true)
  } catch (error) {
    const [, defect] = error instanceof GitError ? (/error: object [0-9a-f]+: (\w+): /.exec(error.stderr) ?? []) : []
    if (defect === undefined || !harmlessDefects.includes(defect)) throw error
    await removeTemporaryPacks(gitDir)
    await fetchWithinSize(clone, gitDir, request, false)
  }
}

async function fetchWithinSize(clone: Clone, gitDir: string, request: FetchRequest, checked: boolean): Promise<void> {
  const maxBytes = request.maxBytes ?? clone.maxBytes
  const stopped = new AbortController()
  const isFull = async () => (await bytesBelow(clone.directory)) >= maxBytes
  const check = async () => {
    if (await isFull()) stopped.abort(cloneTooLarge(maxBytes))
  }
  const timer = setInterval(() => void check().catch((error: unknown) => stopped.abort(error)), measureInterval)
  try {
    await runGit({
      args: [
        ...fetchOptions,
        `--depth=${request.depth}`,
        `--filter=${request.filter}`,
        '--',
        request.remote.url,
        ...request.refspecs,
      ],
      // From inside, so that a git that outlives us writes into the folder that it was started for and no later one.
      gitDir: '.',
      cwd: gitDir,
      network: { protocol: request.remote.network, maxFileBytes: maxBytes },
      settings: [...request.remote.settings, ...fetchSettings(clone.maxBlobBytes, checked)],
      signal: AbortSignal.any([request.signal, stopped.signal]),
    })
    await check()
    stopped.signal.throwIfAborted()
  } catch (error) {
    // A git that was stopped by the limit on its files does not say so.
    if (error instanceof GitError && (await isFull())) throw cloneTooLarge(maxBytes)
    throw error
  } finally {
    clearInterval(timer)
  }
}

const fetchSettings = (maxBlobBytes: number, checked: boolean): GitSetting[] => [
  ['fetch.unpackLimit', '1'],
  ['fetch.writeCommitGraph', 'false'],
  // Larger blobs are streamed to the pack instead of being held in memory.
  ['core.bigFileThreshold', String(maxBlobBytes)],
  ['fetch.fsckObjects', String(checked)],
]

/**
 * Mistakes of old tools that well-known repositories carry in their history for ever, and rules that protect only who
 * checks files out or follows submodules. What makes trees ambiguous or objects unreadable stays an error.
 */
const harmlessDefects = `
  badDate badDateOverflow badEmail badName badTimezone missingEmail missingNameBeforeEmail missingSpaceBeforeDate
  missingSpaceBeforeEmail zeroPaddedDate multipleAuthors nulInCommit badTagName missingTaggerEntry extraHeaderEntry
  badFilemode zeroPaddedFilemode nullSha1 gitmodulesBlob gitmodulesLarge gitmodulesMissing gitmodulesName
  gitmodulesParse gitmodulesPath gitmodulesSymlink gitmodulesUpdate gitmodulesUrl gitattributesBlob gitattributesLarge
  gitattributesLineLength gitattributesMissing gitattributesSymlink gitignoreSymlink mailmapSymlink`
  .trim()
  .split(/\s+/)

const cloneTooLarge = (maxBytes: number) =>
  new RepositoryError(
    'too_large',
    `The repository takes more than ${Math.round(maxBytes / 2 ** 20)} MiB of disk, which is the limit of this server.`,
  )

/** Git keeps rejected objects in the folder where it received them. */
async function removeTemporaryPacks(gitDir: string): Promise<void> {
  const packs = join(gitDir, 'objects/pack')
  const names = (await listIfThere(packs)).filter((name) => name.startsWith('tmp_'))
  await Promise.all(names.map((name) => rm(join(packs, name), { force: true })))
}

const unfinishedMark = (directory: string, part: ClonePart) => `${gitDirOf(directory, part)}.unfinished`

async function countPacks(gitDir: string): Promise<number> {
  const names = await listIfThere(join(gitDir, 'objects/pack'))
  return names.filter((name) => name.endsWith('.pack')).length
}
