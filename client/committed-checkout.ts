import { withBorrowed } from './borrowed-repository.ts'
import type { AnalysisScope } from '../engines/analysis/schema.ts'

/** Returns the commit of a checkout; undefined if there is none. */
export async function headOf(root: string): Promise<string | undefined> {
  const { commitOf } = await import('../engines/source/local.ts')
  return withBorrowed(root, ({ repository, signal }) => commitOf(repository.gitDir, 'HEAD', signal))
}

/**
 * Replaces the name in `since` by the commit that it leads to in the checkout, because the branches of the server may be
 * others. A name that the checkout does not know stays, for the server to look up.
 */
export async function resolveSince(root: string, scope: AnalysisScope | undefined): Promise<AnalysisScope | undefined> {
  const { since } = scope ?? {}
  if (since === undefined) return scope
  const { commitOf, localMergeBase } = await import('../engines/source/local.ts')
  const found = await withBorrowed(root, async ({ repository, signal }) => {
    const head = await commitOf(repository.gitDir, 'HEAD', signal)
    return head === undefined ? undefined : localMergeBase(repository, head, since, signal)
  })
  return found === undefined ? scope : { ...scope, since: found }
}

/**
 * Replaces `HEAD~1` and the like by the commit that the checkout means: to the server, `HEAD` is the snapshot of the working
 * tree. Other names stay, because the server may have newer branches.
 */
export async function resolveHead(root: string, base: string | undefined): Promise<string | undefined> {
  const isHead = base !== undefined && /^HEAD(?:[~^]|$)/.test(base)
  return isHead ? (await resolveSince(root, { since: base }))?.since : base
}
