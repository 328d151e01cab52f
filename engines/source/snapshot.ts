/** A working tree that a client sent, kept as a commit in a bare repository of its own. */
export interface SnapshotSource {
  /** Has the objects that the base does not have. */
  gitDir: string
  /** The commit that stands for the working tree. */
  commitSha: string
  /** The commit of the project's repository that has the other objects; null if the snapshot is complete by itself. */
  baseSha: string | null
}

/** Limits for receiving and for packing a working tree. */
export interface SnapshotLimits {
  /** Bytes of the pack. */
  maxPackBytes: number
  /** Bytes of all objects of the pack when they are unpacked. */
  maxUnpackedBytes: number
  /** Files of the tree. */
  maxFiles: number
}

export const defaultSnapshotLimits: SnapshotLimits = {
  maxPackBytes: 64 * 2 ** 20,
  maxUnpackedBytes: 2 ** 30,
  maxFiles: 200_000,
}
