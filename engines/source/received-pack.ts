import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { GitError, type GitSetting, runGit, startGit } from './git.ts'
import { invalidPack, mebibytes } from './pack-file.ts'
import { lineRecords } from './records.ts'
import type { SnapshotLimits } from './snapshot.ts'
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

/** Reads what a pack contains, and refuses it if that is too large when unpacked. */
export async function readIndexedPack({
  gitDir,
  index,
  packBytes,
  limits,
  signal,
}: Bounded & { index: string; packBytes: number }): Promise<IndexedPack> {
  const ids: string[] = []
  {
    await using git = await startGit({ args: ['show-index'], gitDir, signal })
    createReadStream(index).pipe(git.stdin)
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
  let bytes = 0
  {
    const args = ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)', '--buffer']
    await using git = await startGit({ args, gitDir, signal, ...boundsOf(limits) })
    git.stdin.end(ids.map((id) => `${id}\n`).join(''))
    for await (const lines of lineRecords(git.stdout)) {
      for (const line of lines) {
        const [, id = '', type, size] = /^([0-9a-f]+) (commit|tree|blob|tag) (\d+)$/.exec(line.toString('latin1')) ?? []
        if (type === undefined) throw invalidPack('An object of the pack cannot be read.')
        sent.set(id, type as ObjectType)
        bytes += Number(size)
      }
    }
    await git.succeed()
  }
  if (bytes > limits.maxUnpackedBytes) throw unpackedTooLarge(limits)
  return { sent }
}

const unpackedTooLarge = (limits: SnapshotLimits) =>
  new RepositoryError(
    'too_large',
    `The pack unpacks to more than ${mebibytes(limits.maxUnpackedBytes)}, which is the limit of this server. ` +
      'Commit and push what is large, or list it in .gitignore.',
  )

function explainPackFailure(error: GitError, limits: SnapshotLimits): Error {
  const { stderr, signal } = error
  if (/No space left on device/.test(stderr)) return new Error('No disk space is left for snapshots', { cause: error })
  if (signal === 'SIGXFSZ' || /File too large/.test(stderr)) return unpackedTooLarge(limits)
  if (signal === 'SIGXCPU' || signal === 'SIGKILL') {
    return new RepositoryError(
      'too_large',
      `Unpacking the pack takes more than ${maxCpuSeconds(limits)} s of processor time, which is enough for ` +
        `${mebibytes(limits.maxUnpackedBytes)}. Commit and push what is large, or list it in .gitignore.`,
    )
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
