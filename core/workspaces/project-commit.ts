import { accessToRepository, type RepositoryAccess, withCredential } from '../code-host/repository-access.ts'
import type { Context } from '../base/context.ts'
import { redactLine } from '../base/log.ts'
import type { ProjectRow } from '../projects/entity.ts'
import { mayReadLocally } from '../projects/local-repositories.ts'
import { type CommitSnapshot, openCommit, type OpenCommitOptions } from '../../engines/source/commit.ts'
import { RepositoryError } from '../../engines/source/types.ts'

export type CommitWanted = Pick<OpenCommitOptions, 'directory' | 'ref' | 'limits' | 'isKnown' | 'snapshot'>

/**
 * Opens a commit of the project's repository, with the credentials of the user who chose the repository, and calls
 * `work`. The clone is locked meanwhile.
 *
 * @throws RepositoryError if the commit cannot be fetched, with advice for the project's owner
 */
export async function withProjectCommit<T>(
  ctx: Context,
  project: Omit<ProjectRow, 'settings'>,
  wanted: CommitWanted,
  work: (commit: CommitSnapshot) => Promise<T>,
): Promise<T> {
  let access: RepositoryAccess | undefined
  try {
    access = await accessToRepository(ctx, project)
    const allowLocal = await mayReadLocally(ctx, project)
    const opened = await withCredential(access, (credential) =>
      openCommit({
        ...wanted,
        url: project.repository,
        allowLocal,
        allowCidrs: ctx.config.outboundAllowCidrs,
        credential,
        signal: ctx.signal,
      }),
    )
    await using commit = opened
    return await work(commit)
  } catch (error) {
    if (!(error instanceof RepositoryError) || error.code === 'cancelled') throw error
    const hidden = error.code === 'authentication_required' || error.code === 'not_found'
    throw new RepositoryError(error.code, redactLine(error.message) + (hidden && access ? ` ${access.advice}` : ''))
  }
}
