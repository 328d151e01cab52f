import type { Command } from 'commander'
import { readHead } from './checkout.ts'
import { wrongUsage } from './failure.ts'
import type { Place } from './invocation.ts'
import { checkoutAt } from './project.ts'

/** Options that name what is committed, in place of the working tree of a checkout. */
export interface CommittedOptions {
  head?: boolean
  branch?: string
  commit?: string
}

export function addCommittedOptions(command: Command): Command {
  return command
    .option('--head', 'take the commit of the checkout, without uncommitted changes; it must be pushed')
    .option('--branch <branch>', 'take the newest commit of this branch')
    .option('--commit <id>', 'take this commit (full id)')
}

/** The fields of a call's input that name a commit. */
export interface CommittedState {
  branch?: string | undefined
  commitSha?: string | undefined
}

/**
 * Returns what the options name, or undefined if the command is about the working tree.
 *
 * @param path - the checkout of `--head`, or a path in it
 */
export async function committedState(
  { head = false, branch, commit }: CommittedOptions,
  path: string,
  place: Place,
): Promise<CommittedState | undefined> {
  if (!head) return (branch ?? commit) === undefined ? undefined : { branch, commitSha: commit }
  if ((branch ?? commit) !== undefined) throw wrongUsage('--head cannot be combined with --branch or --commit.')
  const { root } = await checkoutAt(path, place)
  const found = await readHead(root)
  if (!found) throw wrongUsage(`${root} has no commits.`)
  return { branch: found.branch ?? undefined, commitSha: found.commitSha }
}
