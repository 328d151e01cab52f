import { Readable } from 'node:stream'
import type { AnalysisWarning } from './schema.ts'
import type { SourceLimits } from './types.ts'
import { RepositoryError, type TreeEntry } from './types.ts'
import { GitError, startGit } from './git.ts'
import { pathText } from './path-text.ts'
import { lineRecords, nulRecords } from './records.ts'
import { type WarningWriter, warningWriter } from './warnings.ts'

export interface TreeRequest {
  gitDir: string
  commitSha: string
  limits: SourceLimits
  signal: AbortSignal
  /** Blobs that are not there were left out for their size by the fetch; otherwise the repository has lost them. */
  filtered: boolean
  warnings: AnalysisWarning[]
  /** Lists those of these files that there are, and no others. */
  paths?: readonly string[] | undefined
}

// The end of trees that nest only to make paths long: 50 MB of paths for 200,000 files.
const pathBytesPerFile = 256
const submodule = '160000'

/**
 * Everything that the commit tracks, or what of it the request asks for, in git's order. Paths are text for people and
 * never lead to a file.
 */
export async function listTree(request: TreeRequest): Promise<TreeEntry[]> {
  if (request.paths?.length === 0) return []
  try {
    return (await listWithSizes(request)) ?? (await listAndAddSizes(request))
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    request.warnings.push({ code: 'missing_content', message: 'objects of the commit are missing or damaged' })
    throw new RepositoryError(
      'not_a_repository',
      'The files of the commit cannot be listed, because objects are missing or damaged. Try again; if that does not ' +
        'help, run git fsck on the repository.',
    )
  }
}

const repositoryTooLarge = (limit: string) =>
  `The repository has ${limit}. This server does not analyze repositories of that size.`

/**
 * Counts files and folders, and refuses them beyond the limits.
 *
 * @param refusal - gets the limit: "more than 1,000 files or folders, or its paths are too long in total"
 */
export function fileCounter(maxFiles: number, refusal: (limit: string) => string = repositoryTooLarge) {
  let files = 0
  let folders = 0
  let pathBytes = 0
  return (kind: 'file' | 'folder', length: number): void => {
    pathBytes += length
    if (kind === 'file') files++
    else folders++
    if (files <= maxFiles && folders <= maxFiles && pathBytes <= maxFiles * pathBytesPerFile) return
    throw new RepositoryError(
      'too_large',
      refusal(`more than ${maxFiles.toLocaleString('en')} files or folders, or its paths are too long in total`),
    )
  }
}

export function warnTooLarge(warn: WarningWriter, maxBlobBytes: number, path: string): void {
  warn('too_large', `it is larger than ${Math.round(maxBlobBytes / 1_024)} KiB and was not read`, path)
}

/** Feeds object ids to git as it takes them. */
function writeIds(git: { stdin: NodeJS.WritableStream }, entries: readonly TreeEntry[]): void {
  Readable.from(idLines(entries)).pipe(git.stdin)
}

/** Undefined if git cannot tell a size, which ends `ls-tree` in some versions of git and is a word in others. */
async function listWithSizes(request: TreeRequest): Promise<TreeEntry[] | undefined> {
  if (request.filtered) return undefined
  try {
    const entries = await listEntries(request, '--long')
    if (entries.some(({ size, mode }) => size === null && mode !== submodule)) return undefined
    warnOfLarge(entries, request)
    return entries
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    return undefined
  }
}

async function listAndAddSizes(request: TreeRequest): Promise<TreeEntry[]> {
  const entries = await listEntries(request)
  await addSizes(entries, request)
  return entries
}

async function listEntries(
  { gitDir, commitSha, limits, signal, paths }: TreeRequest,
  ...options: readonly string[]
): Promise<TreeEntry[]> {
  const named = paths && canBeNamed(paths) ? paths : []
  // With -t a tree of nothing but trees is noticed while git walks it.
  const args = ['ls-tree', '-r', '-t', '-z', '--full-tree', ...options, '--', commitSha, ...named]
  await using git = await startGit({ args, gitDir, signal, environment: { GIT_LITERAL_PATHSPECS: '1' } })
  git.stdin.end()
  const count = fileCounter(limits.maxFiles)
  const entries: TreeEntry[] = []
  for await (const records of nulRecords(git.stdout)) {
    for (const record of records) {
      const tab = record.indexOf('\t')
      const [mode = '', type, blobId = '', ...padded] = record.toString('latin1', 0, tab).split(' ')
      const size = padded.at(-1) ?? ''
      count(type === 'tree' ? 'folder' : 'file', record.length - tab)
      if (type !== 'tree')
        entries.push({
          path: pathText(record.subarray(tab + 1)),
          blobId,
          mode,
          size: /^\d+$/.test(size) ? Number(size) : null,
        })
    }
  }
  await git.succeed()
  if (!paths) return entries
  const wanted = new Set(paths)
  return entries.filter(({ path }) => wanted.has(path))
}

/** The system limits arguments: on Linux to 128 KiB each, and to a quarter of the stack together. */
const maxNamedBytes = 65_536

/** Whether git takes the paths as they are. What is written with an escape, for one, has another name there. */
function canBeNamed(paths: readonly string[]): boolean {
  const bytes = paths.reduce((sum, path) => sum + Buffer.byteLength(path), 0)
  return bytes <= maxNamedBytes && paths.every((path) => !/\\|(?:^|\/)\.{0,2}(?:\/|$)/.test(path))
}

function warnOfLarge(entries: readonly TreeEntry[], { limits, warnings }: TreeRequest): void {
  const warn = warningWriter(warnings)
  for (const { path, size } of entries)
    if ((size ?? 0) > limits.maxBlobBytes) warnTooLarge(warn, limits.maxBlobBytes, path)
}

async function addSizes(entries: readonly TreeEntry[], request: TreeRequest): Promise<void> {
  const { gitDir, signal, filtered } = request
  const { maxBlobBytes } = request.limits
  const warn = warningWriter(request.warnings)
  const blobs = entries.filter((entry) => entry.mode !== submodule)
  // Not asked of ls-tree, which stops at the first blob whose size it cannot tell.
  await using git = await startGit({ args: ['cat-file', '--batch-check=%(objectsize)', '--buffer'], gitDir, signal })
  writeIds(git, blobs)
  let index = 0
  for await (const lines of lineRecords(git.stdout)) {
    for (const line of lines) {
      const entry = blobs[index++]
      if (!entry) continue
      const size = line.toString('latin1')
      if (/^\d+$/.test(size)) entry.size = Number(size)
      if (entry.size === null && !filtered)
        warn('missing_content', 'its content is missing in the repository', entry.path)
      else if (entry.size === null || entry.size > maxBlobBytes) warnTooLarge(warn, maxBlobBytes, entry.path)
    }
  }
  await git.succeed()
}

function* idLines(entries: readonly TreeEntry[]): Generator<string> {
  const batch = 1_000
  for (let start = 0; start < entries.length; start += batch) {
    yield entries
      .slice(start, start + batch)
      .map((entry) => `${entry.blobId}\n`)
      .join('')
  }
}
