/** A file of the working tree that the packed tree does not have, or has as the index has it. */
export interface LeftOut {
  path: string
  reason: LeftOutReason
  /** A sentence for the user. */
  why: string
}

export type LeftOutReason =
  /** An untracked file that looks like a credential. `include` takes it in. */
  | 'credential'
  /** A git repository in a folder of this one. */
  | 'repository'
  /** Untracked files in a submodule. */
  | 'submodule'
  /** A socket, a pipe or a device where a tracked file was. */
  | 'special_file'
  /** A changed file for which the user has a filter, which is not run. */
  | 'filter'
  /** A name that git does not allow. */
  | 'name'
  /** A name of `include` that git ignores, or that does not exist. */
  | 'not_found'
