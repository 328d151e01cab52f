import { randomBytes } from 'node:crypto'
import { execFile } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import type { GitRepository } from '../../engines/source/testing/git-repository.ts'
import type { App } from '../app.ts'
import { newId } from '../base/ids.ts'
import type { TestApp } from '../testing/app.ts'
import { SnapshotEntity, type SnapshotRow } from './entity.ts'
import { packType } from './receive-pack.ts'
import type { Snapshot } from './schema.ts'

/** Inserts a snapshot without files in a project. */
export async function createSnapshotFor(
  app: Pick<App, 'dataSource'>,
  fields: Partial<SnapshotRow> & Pick<SnapshotRow, 'projectId'>,
): Promise<SnapshotRow> {
  const now = new Date()
  const sha = () => randomBytes(20).toString('hex')
  const row: SnapshotRow = {
    id: newId(now),
    userId: newId(now),
    tokenId: null,
    baseSha: null,
    headSha: null,
    branch: null,
    treeSha: sha(),
    commitSha: sha(),
    files: 1,
    bytes: 1_000,
    withSecrets: true,
    createdAt: now,
    lastUsedAt: now,
    ...fields,
  }
  await app.dataSource.getRepository(SnapshotEntity).insert(row)
  return row
}

/** A working tree as a client sends it. */
export interface PackedTree {
  base: string | undefined
  tree: string
  pack: Buffer
}

/** Packs the working tree of a repository on top of HEAD, or all of it. The index then has all files. */
export async function packTree(repository: GitRepository, { whole = false } = {}): Promise<PackedTree> {
  await repository.git('add', '--all')
  const tree = await repository.git('write-tree')
  const base = whole ? undefined : await repository.git('rev-parse', 'HEAD')
  const packing = promisify(execFile)('git', ['pack-objects', '--quiet', '--thin', '--revs', '--stdout'], {
    cwd: repository.path,
    encoding: 'buffer',
    maxBuffer: 2 ** 28,
  })
  packing.child.stdin?.end(`${tree}\n${base === undefined ? '' : `^${base}\n`}`)
  return { base, tree, pack: (await packing).stdout }
}

const pathOf = (projectId: string, { base, ...named }: Omit<PackedTree, 'pack'>): string =>
  `/api/v1/projects/${projectId}/snapshots?${new URLSearchParams({ ...(base !== undefined && { base }), ...named }).toString()}`

/**
 * Begins an upload on a connection of its own.
 *
 * @param sent - the number of bytes of the pack that are sent
 */
export function beginUpload(
  url: string,
  token: string,
  projectId: string,
  { pack, ...named }: PackedTree,
  sent = pack.length,
): Socket {
  const { host, hostname, port } = new URL(url)
  // Being cut off is what tests use it for.
  const socket = connect(Number(port), hostname).on('error', () => {})
  socket.write(
    `POST ${pathOf(projectId, named)} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: ${packType}\r\nContent-Length: ${pack.length}\r\n\r\n`,
  )
  socket.write(pack.subarray(0, sent))
  return socket
}

/** Sends a packed tree like a client. */
export function sendPack(
  { url }: Pick<TestApp, 'url'>,
  token: string,
  projectId: string,
  { pack, ...named }: PackedTree & { head?: string; branch?: string },
): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': packType }
  return fetch(`${url}${pathOf(projectId, named)}`, { method: 'POST', headers, body: Uint8Array.from(pack) })
}

/** Sends the working tree of a repository, and returns its snapshot. */
export async function sendTree(
  app: TestApp,
  token: string,
  projectId: string,
  repository: GitRepository,
): Promise<Snapshot> {
  const response = await sendPack(app, token, projectId, await packTree(repository))
  if (!response.ok) throw new Error(`The snapshot was refused: ${await response.text()}`)
  return (await response.json()) as Snapshot
}
