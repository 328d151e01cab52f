import { open } from 'node:fs/promises'
import { commitOf } from '../local.ts'
import { readIfThere } from '../files.ts'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { runGit, startGit } from '../git.ts'
import { pathText } from '../path-text.ts'
import { lineRecords } from '../records.ts'
import { Largest, largestShown, type SizedPath, sizeText, tooLarge } from '../too-large.ts'
import { RepositoryError } from '../types.ts'
import { ended, onObjects } from './staging-area.ts'

/** Beyond this number of commits only the tree goes. */
const maxCarriedCommits = 1_000

export interface PackRequest {
  /** A repository that has all objects. */
  gitDir: string
  headSha: string | null
  treeSha: string
  baseSha: string | null
  file: string
  maxPackBytes: number
  maxUnpackedBytes: number
  onBytes?: (progress: { objects: number; bytes: number }) => void
  signal: AbortSignal
}

export interface WrittenPack {
  file: string
  bytes: number
  /** The commit that the snapshot follows: carried by the pack, or the base itself. Null if only the tree is carried. */
  headSha: string | null
  objects: number
  /** The largest files of the pack, largest first. */
  largest: SizedPath[]
}

/** Writes what a repository with the base lacks as a thin pack: its deltas may build on objects of the base. */
export async function writePack(request: PackRequest): Promise<WrittenPack> {
  const { gitDir, signal, baseSha, file } = request
  if (baseSha !== null && (await commitOf(gitDir, baseSha, signal)) !== baseSha) {
    throw new RepositoryError('commit_not_found', `The repository does not have the commit ${baseSha}.`)
  }
  const headSha = await headToCarry(request)
  const objects = await listObjects(request, headSha)
  const largest = await refuseUnpacked(request, objects)
  const bytes = await packObjects(request, objects, largest)
  return { file, bytes, headSha, objects: objects.length, largest: largest.slice(0, largestShown) }
}

/**
 * Lists the objects of the tree and of the commits since the base, with their paths. The tree is listed by itself, since
 * git does not list what a parent of these commits has: the server has only the tree of the base.
 */
async function listObjects(request: PackRequest, headSha: string | null): Promise<Buffer[]> {
  const { baseSha, treeSha } = request
  const known = baseSha === null ? [] : [`^${baseSha}^{tree}`]
  const ofTree = await linesOf(request, ['rev-list', '--objects', treeSha, ...known])
  if (headSha === null || headSha === baseSha) return ofTree
  const ofCommits = await linesOf(request, ['rev-list', '--objects', headSha, `^${baseSha}`])
  const idOf = (line: Buffer) => line.toString('latin1', 0, treeSha.length)
  return [...new Map([...ofCommits, ...ofTree].map((line) => [idOf(line), line])).values()]
}

/** The head, unless the server could not have its whole history with what a pack may carry. */
async function headToCarry({ gitDir, signal, headSha, baseSha }: PackRequest): Promise<string | null> {
  if (headSha === null || baseSha === null) return null
  if (headSha === baseSha) return headSha
  const limit = `--max-count=${maxCarriedCommits + 1}`
  const listed = await runGit(onObjects({ gitDir, signal }, 'rev-list', limit, `${baseSha}..${headSha}`))
  const commits = listed.split('\n').filter((id) => id !== '')
  if (commits.length > maxCarriedCommits) return null
  // The parents of these commits are not here.
  const shallow = new Set((await readIfThere(join(gitDir, 'shallow')))?.split('\n'))
  return commits.some((id) => shallow.has(id)) ? null : headSha
}

async function linesOf(request: PackRequest, args: string[], input: Iterable<Buffer> = []): Promise<Buffer[]> {
  const lines: Buffer[] = []
  await using git = await startGit(onObjects(request, ...args))
  Readable.from(ended(input, lineBreak)).pipe(git.stdin)
  for await (const records of lineRecords(git.stdout)) lines.push(...records)
  await git.succeed()
  return lines
}

const lineBreak = Buffer.from('\n')

/** Returns the files by their size, largest first. */
async function refuseUnpacked(request: PackRequest, objects: readonly Buffer[]): Promise<SizedPath[]> {
  const files = new Largest<SizedPath>()
  let total = 0
  const args = ['cat-file', '--batch-check=%(objecttype) %(objectsize) %(rest)', '--buffer']
  for (const line of await linesOf(request, args, objects)) {
    const [type = '', size = ''] = line.toString('latin1').split(' ', 2)
    const bytes = Number(size)
    if (!Number.isSafeInteger(bytes)) continue
    total += bytes
    if (type === 'blob') files.add({ path: pathText(line.subarray(type.length + size.length + 2)), bytes })
  }
  const largest = files.list()
  const { maxUnpackedBytes } = request
  if (total <= maxUnpackedBytes) return largest
  throw tooLarge(
    `The snapshot has ${sizeText(total)} of objects that the server lacks, and may have ${sizeText(maxUnpackedBytes)}.`,
    largest,
    maxUnpackedBytes,
  )
}

async function packObjects(
  { gitDir, signal, baseSha, file, maxPackBytes, onBytes }: PackRequest,
  objects: readonly Buffer[],
  largest: readonly SizedPath[],
): Promise<number> {
  // A line with a dash names a commit whose objects deltas may build on.
  const edge = baseSha === null ? [] : [Buffer.from(`-${baseSha}`)]
  const args = ['pack-objects', '--stdout', '--delta-base-offset', '-q']
  await using git = await startGit(onObjects({ gitDir, signal }, ...args))
  await using output = await open(file, 'w', 0o600)
  Readable.from(ended([...edge, ...objects], lineBreak)).pipe(git.stdin)
  let bytes = 0
  for await (const chunk of git.stdout as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxPackBytes) {
      throw tooLarge(`The snapshot is larger than ${sizeText(maxPackBytes)} when it is packed.`, largest, maxPackBytes)
    }
    await output.writeFile(chunk)
    onBytes?.({ objects: objects.length, bytes })
  }
  await git.succeed()
  return bytes
}
