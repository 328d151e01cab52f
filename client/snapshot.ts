import { Snapshot, SnapshotQuery, type SnapshotBase, maxOfferedCommits } from '../core/snapshots/schema.ts'
import type {
  LeftOut,
  PackedWorkingTree,
  PackingProgress,
  WrittenPack,
} from '../engines/source/packing/pack-working-tree.ts'
import { type CoreClient, coreFailure } from './core-client.ts'
import type { Credentials } from './credentials.ts'
import { cleanLine } from './sanitize.ts'
import { fileBody, sendBody } from './send-body.ts'
import { UserError } from './user-error.ts'

export type SnapshotProgress = PackingProgress | { phase: 'sending'; sentBytes: number; bytes: number }

export interface SnapshotOptions {
  /** Files and folders that are sent although they look like credentials. Paths from the top of the checkout. */
  include?: readonly string[] | undefined
  /** Files that the snapshot has as HEAD has them. Paths from the top of the checkout. */
  except?: readonly string[] | undefined
  onProgress?: ((progress: SnapshotProgress) => void) | undefined
  signal: AbortSignal
}

/** What a checkout has, and what the server does not get. */
interface Checkout {
  /** Files that differ from HEAD. */
  changedFiles: number
  /** Whether the tree is that of HEAD. */
  isClean: boolean
  /** The commit of HEAD; null before the first one. */
  headSha: string | null
  branch: string | null
  leftOut: LeftOut[]
}

export interface SentSnapshot extends Checkout {
  snapshot: Snapshot
  /** Whether the server did not have it before. */
  isNew: boolean
  /** Bytes of the pack; 0 if the server had the snapshot already. */
  sentBytes: number
}

/** A checkout whose tree is that of a commit which the server can fetch. */
export interface CommittedTree extends Checkout {
  snapshot: null
  headSha: string
}

/** Where snapshots are sent to. */
export type SnapshotServer = Pick<Credentials, 'baseUrl' | 'token'>

/**
 * Sends the working tree of a checkout as it is, with its uncommitted and untracked files, unless it is that of a commit
 * that the server can fetch. The results of that commit count for the project, unlike those of a snapshot.
 *
 * @throws UserError for a checkout that cannot be packed, and for a server without snapshots
 */
export async function sendChanges(
  core: CoreClient,
  server: SnapshotServer,
  { id: projectId }: { id: string },
  root: string,
  options: SnapshotOptions,
): Promise<SentSnapshot | CommittedTree> {
  await using tree = await openTree(root, options)
  const base = await findBase(core, projectId, tree, options.signal)
  const checkout = describe(tree)
  const { headSha, isClean } = checkout
  if (isClean && headSha !== null && base.baseSha === headSha) return { ...checkout, headSha, snapshot: null }
  return await send({ core, server, projectId, tree, options }, base)
}

interface Sending {
  core: CoreClient
  server: SnapshotServer
  projectId: string
  tree: PackedWorkingTree
  options: SnapshotOptions
}

async function send(sending: Sending, base: SnapshotBase, isLast = false): Promise<SentSnapshot> {
  const { core, projectId, tree, options } = sending
  if (base.snapshot) return { ...describe(tree), snapshot: base.snapshot, isNew: false, sentBytes: 0 }
  const pack = await packFor(tree, base, options)
  try {
    const { status, answer } = await sendPack(sending, base, pack)
    return { ...describe(tree), snapshot: answer, isNew: status === 201, sentBytes: pack.bytes }
  } catch (error) {
    if (isLast || !isUnknownBase(error)) throw error
    return send(sending, await findBase(core, projectId, tree, options.signal), true)
  }
}

const describe = ({ headSha, branch, changedFiles, leftOut }: PackedWorkingTree): Checkout => ({
  headSha,
  branch,
  changedFiles,
  leftOut,
  isClean: headSha !== null && changedFiles === 0,
})

async function openTree(root: string, { include, except, onProgress, signal }: SnapshotOptions) {
  const [{ packWorkingTree }, { defaultSnapshotLimits }] = await Promise.all([
    import('../engines/source/packing/pack-working-tree.ts'),
    import('../engines/source/snapshot.ts'),
  ])
  return inWords(
    signal,
    packWorkingTree(root, {
      limits: defaultSnapshotLimits,
      maxCommits: maxOfferedCommits,
      signal,
      ...(include && { include }),
      ...(except && { except }),
      ...(onProgress && { onProgress }),
    }),
  )
}

async function findBase(
  core: CoreClient,
  projectId: string,
  { latestCommits: commits, treeSha }: PackedWorkingTree,
  signal: AbortSignal,
): Promise<SnapshotBase> {
  try {
    return await core.snapshots.findBase.mutate({ projectId, commits, treeSha }, { signal })
  } catch (error) {
    const failure = coreFailure(error)
    const isOld = failure?.kind === 'refused' && failure.code === 'NOT_FOUND' && failure.message.includes('findBase')
    if (!isOld) throw error
    throw new UserError(
      'The server is older than this program and takes no snapshots of a working tree. Update it, or commit and push ' +
        'the changes and name the commit.',
    )
  }
}

function packFor(
  tree: PackedWorkingTree,
  { baseSha, maxPackBytes, maxFiles }: SnapshotBase,
  { onProgress, signal }: SnapshotOptions,
): Promise<WrittenPack> {
  if (tree.files > maxFiles) {
    throw new UserError(
      `The working tree has ${tree.files.toLocaleString('en')} files, and a snapshot may have ` +
        `${maxFiles.toLocaleString('en')}. Add files that tests do not need to .gitignore.`,
    )
  }
  return inWords(signal, tree.pack({ baseSha, limits: { maxPackBytes }, signal, ...(onProgress && { onProgress }) }))
}

function sendPack(
  { server, projectId, tree: { treeSha, branch }, options: { onProgress, signal } }: Sending,
  { baseSha }: SnapshotBase,
  { file, bytes, headSha }: WrittenPack,
) {
  // The server takes only some names of branches, and only shows this one.
  const shownBranch = SnapshotQuery.shape.branch.safeParse(branch).data
  const query = new URLSearchParams({
    tree: treeSha,
    ...(baseSha !== null && { base: baseSha }),
    ...(headSha !== null && { head: headSha }),
    ...(shownBranch !== undefined && { branch: shownBranch }),
  })
  return sendBody({
    credentials: server,
    path: `/api/v1/projects/${encodeURIComponent(projectId)}/snapshots?${query.toString()}`,
    headers: { 'content-type': 'application/x-git-packed-objects', 'content-length': String(bytes) },
    body: (ended) => fileBody(file, (sentBytes) => onProgress?.({ phase: 'sending', sentBytes, bytes }), ended),
    answer: Snapshot,
    signal,
  })
}

/** The server could fetch the base a moment ago, but a force push has removed it since. */
function isUnknownBase(error: unknown): boolean {
  const failure = coreFailure(error)
  return failure?.kind === 'refused' && failure.hint?.kind === 'names' && failure.hint.fields.includes('base')
}

/** The words of the packer are for users, and can quote names of files. */
async function inWords<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    signal.throwIfAborted()
    const { RepositoryError } = await import('../engines/source/types.ts')
    throw error instanceof RepositoryError ? new UserError(cleanLine(error.message)) : error
  }
}
