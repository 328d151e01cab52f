import { procedure, router } from '../http/trpc.ts'
import { createSnapshot } from './create.ts'
import { deleteSnapshot } from './delete.ts'
import { findSnapshotBase } from './find-base.ts'
import { getSnapshot, listSnapshots } from './get.ts'
import {
  CreateSnapshot,
  FindSnapshotBase,
  ListSnapshots,
  Snapshot,
  SnapshotBase,
  SnapshotRef,
  SnapshotsPage,
} from './schema.ts'

export const snapshotsRouter = router({
  // Not a query: the list of commits is too long for a URL, and the call can fetch a commit.
  findBase: procedure
    .input(FindSnapshotBase)
    .output(SnapshotBase)
    .mutation(({ ctx, input }) => findSnapshotBase(ctx, input)),
  create: procedure
    .input(CreateSnapshot)
    .output(Snapshot)
    .mutation(({ ctx, input }) => createSnapshot(ctx, input)),
  get: procedure
    .input(SnapshotRef)
    .output(Snapshot)
    .query(({ ctx, input }) => getSnapshot(ctx, input)),
  list: procedure
    .input(ListSnapshots)
    .output(SnapshotsPage)
    .query(({ ctx, input }) => listSnapshots(ctx, input)),
  delete: procedure
    .input(SnapshotRef)
    .output(Snapshot)
    .mutation(({ ctx, input }) => deleteSnapshot(ctx, input)),
})
