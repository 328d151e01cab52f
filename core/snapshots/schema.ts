import { z } from 'zod'
import { branch, commitSha, page, Pagination, userEmail } from '../base/input-fields/schema.ts'

/** Clients offer at most this number of their latest commits as the base of a snapshot. */
export const maxOfferedCommits = 1_000

/** The state of a working tree, which the server keeps as a commit. */
export const Snapshot = z.object({
  id: z.string(),
  projectId: z.string(),
  /** The user who sent it. */
  userId: z.string(),
  /** The commit of the repository that has the objects that were not sent; null if all were sent. */
  baseSha: z.string().nullable(),
  /** The commit that was checked out in the working tree; null if it was not sent and is not in the repository. */
  headSha: z.string().nullable(),
  /** The branch that was checked out. */
  branch: z.string().nullable(),
  treeSha: z.string(),
  /** Git's id of the snapshot. Runs, analyses and verifications of it have it as their `commitSha`. */
  commitSha: z.string(),
  files: z.int(),
  /** Bytes that it takes on the server's disk. */
  bytes: z.int(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime(),
  /** When it will be deleted if it is not used before. */
  expiresAt: z.iso.datetime(),
})
export type Snapshot = z.infer<typeof Snapshot>

/** Input of the call that a client makes before it packs. */
export const FindSnapshotBase = z.strictObject({
  projectId: z.string(),
  /** The latest commits of the checkout, newest first. */
  commits: z.array(commitSha).max(maxOfferedCommits),
  /** With it, the call returns the snapshot if the server has it already. */
  treeSha: commitSha.optional(),
  userEmail,
})
export type FindSnapshotBase = z.infer<typeof FindSnapshotBase>

export const SnapshotBase = z.object({
  /** The first of the commits that the server can fetch; null if it knows none of them. */
  baseSha: z.string().nullable(),
  snapshot: Snapshot.nullable(),
  maxPackBytes: z.int(),
  maxFiles: z.int(),
})
export type SnapshotBase = z.infer<typeof SnapshotBase>

const described = {
  /** The commit that the pack builds on. Without it, the pack contains the whole tree. */
  baseSha: commitSha.optional(),
  /** The commit that is checked out: the base, or a commit that the pack contains. */
  headSha: commitSha.optional(),
  treeSha: commitSha,
  branch: branch.optional(),
}

/** The query of `POST /api/v1/projects/:id/snapshots`. */
export const SnapshotQuery = z.strictObject({
  base: commitSha.optional(),
  head: commitSha.optional(),
  tree: commitSha,
  branch: branch.optional(),
  userEmail,
})
export type SnapshotQuery = z.infer<typeof SnapshotQuery>

/** For small packs; larger ones go to `POST /api/v1/projects/:id/snapshots`. */
export const CreateSnapshot = z.strictObject({
  projectId: z.string(),
  ...described,
  /** A git pack in base64. */
  pack: z.base64().max(700_000),
  userEmail,
})
export type CreateSnapshot = z.infer<typeof CreateSnapshot>

export const SnapshotRef = z.strictObject({ snapshotId: z.string(), userEmail })
export type SnapshotRef = z.infer<typeof SnapshotRef>

export const ListSnapshots = z.strictObject({ projectId: z.string(), ...page, userEmail })
export type ListSnapshots = z.infer<typeof ListSnapshots>

export const SnapshotsPage = z.object({ snapshots: z.array(Snapshot), pagination: Pagination })
export type SnapshotsPage = z.infer<typeof SnapshotsPage>
