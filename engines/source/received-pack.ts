import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { GitError, type GitSetting, runGit, startGit } from './git.ts'
import { invalidPack } from './pack-file.ts'
import { pathText } from './path-text.ts'
import { lineRecords } from './records.ts'
import type { SnapshotLimits } from './snapshot.ts'
import { Largest, type SizedPath, sizeText, tooLarge } from './too-large.ts'
import { RepositoryError } from './types.ts'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

/** Objects by their ids. */
export type Objects = ReadonlyMap<string, ObjectType>

interface Bounded {
  gitDir: string
  limits: SnapshotLimits
  signal: AbortSignal
}

const megabyte = 2 ** 20
/** Larger files are streamed; git holds other objects in memory, and two at once for a delta. */
const streamedBytes = 16 * megabyte
const maxObjectMegabytes = 256
const maxMemoryBytes = 2_048 * megabyte
/** A core of a busy machine checks about 150 MiB in a second. A small pack of deltas could keep it busy for hours. */
const bytesPerCpuSecond = 80 * megabyte
const minCpuSeconds = 2
const trailerBytes: Record<number, number> = { 40: 20, 64: 32 }

const settings: readonly GitSetting[] = [
  ['core.bigFileThreshold', String(streamedBytes)],
  ['core.packedGitWindowSize', '32m'],
  ['core.packedGitLimit', '256m'],
  ['core.deltaBaseCacheLimit', '64m'],
]

/** How much of the machine git may use for a pack: it unpacks every object once to learn its id. */
function boundsOf(limits: SnapshotLimits) {
  return {
    bounds: {
      // A thin pack is completed with the objects that it builds on.
      maxFileBytes: limits.maxUnpackedBytes,
      maxMemoryBytes,
      maxCpuSeconds: maxCpuSeconds(limits),
    },
    environment: { GIT_ALLOC_LIMIT: `${maxObjectMegabytes}m` },
    settings,
  }
}

const maxCpuSeconds = ({ maxUnpackedBytes }: SnapshotLimits) =>
  minCpuSeconds + Math.ceil(maxUnpackedBytes / bytesPerCpuSecond)

/** Has git check and complete a pack, and returns the path of its index. */
export async function indexPack({ gitDir, pack, limits, signal }: Bounded & { pack: Readable }): Promise<string> {
  // Not --strict, which refuses links to objects that a partial clone leaves out.
  const checks = ['--fix-thin', '--fsck-objects', '--threads=1', `--max-input-size=${limits.maxPackBytes}`]
  try {
    const printed = await runGit(
      { args: ['index-pack', '--stdin', ...checks], gitDir, signal, ...boundsOf(limits) },
      pack,
    )
    const [, id] = /^(?:pack|keep)\t([0-9a-f]{40,64})$/m.exec(printed) ?? []
    if (id === undefined) throw new Error(`git index-pack printed no id: ${printed.slice(0, 200)}`)
    return join(gitDir, `objects/pack/pack-${id}.idx`)
  } catch (error) {
    throw error instanceof GitError ? explainPackFailure(error, limits) : error
  }
}

export interface IndexedPack {
  /** What the client sent. */
  sent: Objects
}

interface PackToRead extends Bounded {
  index: string
  packBytes: number
  /** The tree and the commits that the client named. */
  treeSha: string
  headSha: string | null
  baseSha: string | undefined
}

/** Reads what a pack contains, and refuses it if that is too large when unpacked. */
export async function readIndexedPack(pack: PackToRead): Promise<IndexedPack> {
  const { gitDir, index, packBytes, limits, signal } = pack
  const ids: string[] = []
  {
    await using git = await startGit({ args: ['show-index'], gitDir, signal })
    // Closes the file if git ends before it has read everything.
    pipeline(createReadStream(index), git.stdin).catch(() => undefined)
    for await (const lines of lineRecords(git.stdout)) {
      for (const line of lines) {
        const [offset, id = ''] = line.toString('latin1').split(' ')
        // Git appends the objects that a thin pack builds on where the checksum was.
        if (Number(offset) < packBytes - (trailerBytes[id.length] ?? 0)) ids.push(id)
      }
    }
    await git.succeed()
  }
  if (new Set(ids).size < ids.length) throw invalidPack('The pack contains an object twice.')
  const sent = new Map<string, ObjectType>()
  const blobs = new Largest<Blob>()
  let total = 0
  {
    const args = ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)', '--buffer']
    await using git = await startGit({ args, gitDir, signal, ...boundsOf(limits) })
    git.stdin.end(ids.map((id) => `${id}\n`).join(''))
    for await (const lines of lineRecords(git.stdout)) {
      for (const line of lines) {
        const [, id = '', type, size] = /^([0-9a-f]+) (commit|tree|blob|tag) (\d+)$/.exec(line.toString('latin1')) ?? []
        if (type === undefined) throw invalidPack('An object of the pack cannot be read.')
        sent.set(id, type as ObjectType)
        total += Number(size)
        if (type === 'blob') blobs.add({ id, bytes: Number(size) })
      }
    }
    await git.succeed()
  }
  if (total > limits.maxUnpackedBytes) {
    const [has, limit] = [total, limits.maxUnpackedBytes].map(sizeText)
    const largest = await nameBlobs(pack, blobs.list())
    throw tooLarge(`The pack unpacks to ${has}, and may unpack to ${limit}.`, largest, limits.maxUnpackedBytes)
  }
  return { sent }
}

interface Blob {
  id: string
  bytes: number
}

/** Adds the paths that blobs have in the tree or in a commit. Names none if git cannot read what leads to them. */
async function nameBlobs(
  { gitDir, treeSha, headSha, baseSha, limits, signal }: PackToRead,
  blobs: readonly Blob[],
): Promise<SizedPath[]> {
  const sizes = new Map(blobs.map(({ id, bytes }) => [id, bytes]))
  const named: SizedPath[] = []
  try {
    // Reads each tree once, however often another one contains it.
    const args = ['rev-list', '--objects', '--missing=allow-any', '--stdin']
    await using git = await startGit({ args, gitDir, signal, ...boundsOf(limits) })
    const known = baseSha === undefined ? [] : [`^${baseSha}`]
    git.stdin.end([treeSha, ...(headSha === null ? [] : [headSha]), ...known].map((name) => `${name}\n`).join(''))
    for await (const lines of lineRecords(git.stdout)) {
      for (const line of lines) {
        const bytes = sizes.get(line.toString('latin1', 0, treeSha.length))
        if (bytes !== undefined) named.push({ path: pathText(line.subarray(treeSha.length + 1)), bytes })
      }
    }
    await git.succeed()
    return named
  } catch (error) {
    if (error instanceof GitError) return []
    throw error
  }
}

function explainPackFailure(error: GitError, limits: SnapshotLimits): Error {
  const { stderr, signal } = error
  const { maxUnpackedBytes } = limits
  if (/No space left on device/.test(stderr)) return new Error('No disk space is left for snapshots', { cause: error })
  if (signal === 'SIGXFSZ' || /File too large/.test(stderr)) {
    return tooLarge(`The pack unpacks to more than ${sizeText(maxUnpackedBytes)}.`, [], maxUnpackedBytes)
  }
  if (signal === 'SIGXCPU' || signal === 'SIGKILL') {
    const what =
      `Unpacking the pack takes more than ${maxCpuSeconds(limits)} s of processor time, which is enough for ` +
      `${sizeText(maxUnpackedBytes)}.`
    return tooLarge(what, [], maxUnpackedBytes)
  }
  if (/attempting to allocate|out of memory|cannot allocate|mmap failed/i.test(stderr)) {
    return new RepositoryError(
      'too_large',
      `Reading the pack needs more memory than this server allows. A single object may have ${maxObjectMegabytes} MiB.`,
    )
  }
  if (/unresolved delta/.test(stderr)) {
    return new RepositoryError(
      'incomplete_pack',
      'The pack has deltas of objects that neither it nor the server has. Send it without git pack-objects --thin.',
    )
  }
  const [, object, defect] = /error: object ([0-9a-f]+): (\w+: .{0,200})/.exec(stderr) ?? []
  if (object !== undefined) return invalidPack(`Git refuses the object ${object} of the pack: ${defect}.`)
  if (/early EOF/.test(stderr)) return invalidPack('The pack is incomplete: it ends too early.')
  if (/SHA1 mismatch|pack is corrupted|hash mismatch/i.test(stderr)) {
    return invalidPack('The pack is corrupt: its checksum does not match its contents.')
  }
  if (/COLLISION/i.test(stderr)) {
    return invalidPack('The pack contains an object with the id of a different object of the repository.')
  }
  const reason = /(?:fatal|error): (.{0,200})/.exec(stderr)?.[1]?.replace(/\p{C}+/gu, ' ')
  return invalidPack(`The pack is corrupt${reason === undefined ? '.' : `: ${reason}.`}`)
}
