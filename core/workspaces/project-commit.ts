import { accessToRepository, type RepositoryAccess, withCredential } from '../code-host/repository-access.ts'
import type { Context } from '../base/context.ts'
import { redactLine } from '../base/log.ts'
import { ProjectEntity, type ProjectRow } from '../projects/entity.ts'
import { noSuchProject } from '../projects/get.ts'
import { mayReadLocally } from '../projects/local-repositories.ts'
import { type CommitSnapshot, openCommit, type OpenCommitOptions } from '../../engines/source/commit.ts'
import type { RepositorySource } from '../../engines/source/remote.ts'
import { RepositoryError } from '../../engines/source/types.ts'

export type CommitWanted = Pick<
  OpenCommitOptions,
  'directory' | 'ref' | 'limits' | 'isKnown' | 'snapshot' | 'comparedWith' | 'paths'
>

type Project = Omit<ProjectRow, 'settings'>

/**
 * Opens a commit of the project's repository, with the credentials of the user who chose the repository, and calls
 * `work`. The clone is locked meanwhile.
 *
 * @throws RepositoryError if the commit cannot be fetched, with advice for the project's owner
 */
export function withProjectCommit<T>(
  ctx: Context,
  project: Project,
  wanted: CommitWanted,
  work: (commit: CommitSnapshot) => Promise<T>,
): Promise<T> {
  return explained(ctx, project, async (access) => {
    await using commit = await withSource(ctx, project, access, (source) =>
      openCommit({ ...wanted, ...source, signal: ctx.signal }),
    )
    return await work(commit)
  })
}

/**
 * Asks the server of the project's repository, with the credentials of the user who chose the repository.
 *
 * @throws RepositoryError if that fails, with advice for the project's owner
 */
export function askProjectRepository<T>(
  ctx: Context,
  project: Project,
  ask: (source: RepositorySource) => Promise<T>,
): Promise<T> {
  return explained(ctx, project, (access) => withSource(ctx, project, access, ask))
}

async function withSource<T>(
  ctx: Context,
  project: Project,
  access: RepositoryAccess | undefined,
  work: (source: RepositorySource) => Promise<T>,
): Promise<T> {
  const allowLocal = await mayReadLocally(ctx, project)
  const { outboundAllowCidrs: allowCidrs } = ctx.config
  return withCredential(access, (credential) =>
    work({ url: project.repository, allowLocal, allowCidrs, ...(credential && { credential }) }),
  )
}

async function explained<T>(
  ctx: Context,
  project: Project,
  work: (access: RepositoryAccess | undefined) => Promise<T>,
): Promise<T> {
  let access: RepositoryAccess | undefined
  try {
    access = await accessToRepository(ctx, project)
    return await work(access)
  } catch (error) {
    await requireNotDeleted(ctx, project)
    if (!(error instanceof RepositoryError) || error.code === 'cancelled') throw error
    const hidden = error.code === 'authentication_required' || error.code === 'not_found'
    throw new RepositoryError(error.code, redactLine(error.message) + (hidden && access ? ` ${access.advice}` : ''))
  }
}

/** The deletion of a project takes its clone away from those who work on it, who may fail with any error then. */
async function requireNotDeleted({ db, signal }: Context, { id }: Project): Promise<void> {
  if (signal.aborted || (await db.getRepository(ProjectEntity).existsBy({ id }))) return
  throw noSuchProject()
}
