import { realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import { isLocalOwner } from '../identity/users/local-owner.ts'
import { type Context, requireUser } from '../base/context.ts'
import { forbidden, invalid } from '../base/errors.ts'
import type { RepositoryOf } from '../code-host/repository-access.ts'
import { RepositoryError } from '../../engines/source/types.ts'
import { parseRepositoryUrl } from '../../engines/source/url.ts'

/**
 * Requires that the caller may choose a repository of the server's file system. A git repository can be every folder
 * that the server can read, so in local mode only the owner of the server may, with a credential that is not restricted.
 * The answer does not depend on whether the path exists.
 *
 * @throws AppError 403; 400 for a folder of Assay itself
 */
export async function requireLocalRepository(ctx: Context, repository: string): Promise<void> {
  const path = localPathOf(repository)
  if (path === undefined) return
  if (!(await mayChoose(ctx))) {
    throw forbidden(
      'repository: Only the owner of this local server can use repositories of its file system, with a credential that ' +
        'is not restricted to a project or organization. Use https://host/path, or ask the owner to create the project.',
    )
  }
  if (await belongsToAssay(ctx, path)) {
    throw invalid('repository: The path is in the data folder of Assay. Use the path of a checkout.')
  }
}

/**
 * Whether the server reads the repository of a project from its own file system. In local mode, the owner must have
 * chosen it; other members may then use it.
 */
export async function mayReadLocally(
  ctx: Pick<Context, 'config' | 'db'>,
  { repository, repositoryUserId }: Pick<RepositoryOf, 'repository' | 'repositoryUserId'>,
): Promise<boolean> {
  const path = localPathOf(repository)
  if (path === undefined || ctx.config.localRepositories === 'nobody') return false
  if (ctx.config.localRepositories === 'owner') {
    if (repositoryUserId === null || !(await isLocalOwner(ctx.db, repositoryUserId))) return false
  }
  return !(await belongsToAssay(ctx, path))
}

async function mayChoose(ctx: Context): Promise<boolean> {
  if (ctx.config.localRepositories !== 'owner') return ctx.config.localRepositories === 'everyone'
  const { userId, organizationId, projectId } = requireUser(ctx)
  return organizationId === null && projectId === null && isLocalOwner(ctx.db, userId)
}

/** Returns undefined for a repository of another server, and for text that is no address of a repository. */
function localPathOf(repository: string): string | undefined {
  try {
    const location = parseRepositoryUrl(repository, { allowLocal: true })
    return location.kind === 'local' ? location.path : undefined
  } catch (error) {
    if (error instanceof RepositoryError) return undefined
    throw error
  }
}

/** The data folder contains clones of the repositories of all users. */
async function belongsToAssay({ config }: Pick<Context, 'config'>, path: string): Promise<boolean> {
  const [real, data] = await Promise.all([path, config.dataDir].map((one) => realpath(one).catch(() => one)))
  return `${real}${sep}`.startsWith(`${data}${sep}`)
}
