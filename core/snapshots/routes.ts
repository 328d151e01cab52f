import { z } from 'zod'
import { RepositoryError } from '../../engines/source/types.ts'
import { invalid } from '../base/errors.ts'
import { parseInput } from '../base/input.ts'
import { withContract } from '../http/handler.ts'
import { keepSnapshot, requireRoom } from './create.ts'
import { packType, receivePack } from './receive-pack.ts'
import { Snapshot, SnapshotQuery } from './schema.ts'

const { base, head, tree, branch, userEmail } = SnapshotQuery.shape

/** Like all routes, it ignores unknown parameters. */
const DescribedQuery = z.object({
  base: base.describe('The commit that the pack builds on. Without it, the pack contains the whole tree.'),
  head: head.describe('The commit that is checked out: the base, or a commit of the pack'),
  tree: tree.describe('The id of the tree of the working tree, as `git write-tree` prints it'),
  branch: branch.describe('The branch that is checked out. It is only shown.'),
  userEmail: userEmail.describe('Not required. Rejected if it is not your own address.'),
})

/** `POST /api/v1/projects/:id/snapshots` */
export const receiveSnapshot = withContract(
  {
    name: 'createSnapshot',
    summary: 'Stores the state of a working tree',
    description:
      'The body is a git pack of up to 64 MiB, as `git pack-objects --thin --stdout` writes it. The same working tree on ' +
      'the same commit is the same snapshot: a repeated upload returns 200. A snapshot is deleted 7 days after its last use.',
    query: DescribedQuery,
    bytes: packType,
    answers: { 200: Snapshot, 201: Snapshot },
    errors: ['CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'REQUEST_TIMEOUT', 'UNAVAILABLE', 'TIMEOUT'],
  },
  async (ctx, koa) => {
    const { id: projectId = '' } = koa.params
    try {
      // Checked before the body is read.
      await requireRoom(ctx, projectId)
      const { base: baseSha, head: headSha, tree: treeSha, branch } = parseInput(DescribedQuery, koa.query)
      await using pack = await receivePack(ctx, koa.req)
      const described = { baseSha, headSha, treeSha, branch }
      const { added, snapshot } = await keepSnapshot(ctx, projectId, described, pack, 'base')
      return { status: added ? 201 : 200, body: Snapshot.parse(snapshot) }
    } catch (error) {
      throw hasLeft(ctx.signal, error) ? invalid('The pack is incomplete. Send it again.', { cause: error }) : error
    }
  },
)

/** Whether the caller disconnected, which is not an error of the server. */
function hasLeft({ aborted, reason }: AbortSignal, error: unknown): boolean {
  if (error instanceof RepositoryError) return aborted && error.code === 'cancelled'
  return aborted && (error === reason || (error instanceof Error && error.cause === reason))
}
