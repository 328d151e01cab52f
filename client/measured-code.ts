import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { withBorrowed } from './borrowed-repository.ts'
import { cleanLine, shorten } from './sanitize.ts'
import { UserError } from './user-error.ts'

interface Limits {
  /** Files, folders and globs from the top of the checkout. */
  paths?: readonly string[] | undefined
  since?: string | undefined
}

/** How the caller names the arguments. */
interface Names {
  paths: string
  since: string
}

/**
 * Checks what limits a measurement before anything is sent, because a mistake would otherwise appear minutes later.
 *
 * @throws UserError
 */
export async function requireMeasurable(root: string, { paths = [], since }: Limits, names: Names): Promise<void> {
  if (since !== undefined) await requireReference(root, since, names.since)
  if (paths.length > 0) await requireCode(root, paths, names.paths)
}

async function requireReference(root: string, since: string, name: string): Promise<void> {
  const [{ commitOf, localMergeBase }, { noCommonCommit }, { RepositoryError }] = await Promise.all([
    import('../engines/source/local.ts'),
    import('../engines/source/base-reference.ts'),
    import('../engines/source/types.ts'),
  ])
  const problem = await withBorrowed(root, async ({ repository, signal }) => {
    // A shallow clone, as CI makes it, has fewer branches and commits than the server.
    if (existsSync(join(repository.commonDir, 'shallow'))) return null
    const head = await commitOf(repository.gitDir, 'HEAD', signal)
    if (head === undefined) return `${JSON.stringify(since)} cannot be compared with a checkout without commits.`
    try {
      const found = await localMergeBase(repository, head, since, signal)
      return found === undefined ? noCommonCommit(since, { commits: null }).message : null
    } catch (error) {
      if (error instanceof RepositoryError && error.code === 'reference_not_found') return error.message
      throw error
    }
  })
  if (problem) throw new UserError(shorten(cleanLine(`${name}: ${problem}`), 500))
}

const maxFiles = 200_000

async function requireCode(root: string, paths: readonly string[], name: string): Promise<void> {
  const [{ listWorkingFiles }, { namedPaths }, { codeAmong }, { RepositoryError }] = await Promise.all([
    import('../engines/source/working-list.ts'),
    import('../engines/analysis/scope.ts'),
    import('../engines/strength/code-among.ts'),
    import('../engines/source/types.ts'),
  ])
  const problem = await withBorrowed(root, async ({ repository, gitDir, signal }) => {
    const files = await listWorkingFiles({ top: root, repository, gitDir, maxFiles, signal })
    const known = files.map((file) => file.name.toString('utf8'))
    try {
      const { problem } = codeAmong(namedPaths(paths, known))
      return problem && `${name} ${problem}`
    } catch (error) {
      // The message begins with the name of the field.
      if (error instanceof RepositoryError && error.code === 'scope_not_found')
        return error.message.replace(/^paths(?=: )/, name)
      throw error
    }
  })
  if (problem) throw new UserError(shorten(cleanLine(problem), 500))
}
