import type { CoreClient } from '../client/core-client.ts'
import type { CommittedTree, SentSnapshot } from '../client/snapshot.ts'
import { type CommittedOptions, type CommittedState, committedState } from './committed.ts'
import type { Context } from './context.ts'
import { wrongUsage } from './failure.ts'
import { checkoutAt, isPath } from './project.ts'
import { type IncludeOptions, sendCheckout, stateOf } from './snapshot.ts'

export type CodeOptions = CommittedOptions & IncludeOptions

/** The code that the options of a command name. */
export type WantedCode = { committed: CommittedState } | { root: string; include: string[] | undefined }

/**
 * Returns what the options name as committed; else the working tree of the checkout, or the latest commit of a project
 * that is named without a checkout.
 *
 * @param project - as the user names it
 */
export async function wantedCode(
  project: string | undefined,
  options: CodeOptions,
  context: Context,
): Promise<WantedCode> {
  const { include } = options
  const isCheckout = project === undefined || isPath(project)
  const path = isCheckout ? (project ?? '.') : '.'
  const committed = await committedState(options, path, context)
  if (isCheckout && !committed) return { root: (await checkoutAt(path, context)).root, include }
  if (include) {
    throw wrongUsage('--include requires a checkout, and cannot be combined with --branch, --commit or --head.')
  }
  return { committed: committed ?? {} }
}

/** The fields of a call's input that name the code, and what was sent of a checkout. */
export interface NamedCode {
  state: CommittedState & { snapshotId?: string }
  /** Absent for what is committed. */
  sent?: SentSnapshot | CommittedTree
}

/** Sends the working tree where that is wanted and the server has no commit with the same files, and says so. */
export async function nameCode(
  core: CoreClient,
  projectId: string,
  code: WantedCode,
  context: Context,
): Promise<NamedCode> {
  if ('committed' in code) return { state: code.committed }
  const sent = await sendCheckout(core, { projectId, ...code }, context)
  return { state: stateOf(sent), sent }
}
