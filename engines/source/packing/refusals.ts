import { RepositoryError } from '../types.ts'
import { GitError } from '../git.ts'

const shownNames = 5

/** Names the first ones and counts the others: "a, b and 3 more". */
export function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, shownNames)
  const more = names.length - shown.length
  if (more > 0) return `${shown.join(', ')} and ${more.toLocaleString('en')} more`
  const last = shown.at(-1) ?? ''
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`
}

export interface SizedPath {
  path: string
  bytes: number
}

export const largestShown = 5

export const byTheirSize = (one: SizedPath, other: SizedPath): number => other.bytes - one.bytes

/**
 * Names the largest files, without those that do not matter for the limit.
 *
 * @param largest - the files that would be sent, largest first
 * @param limit - bytes
 */
export function tooLarge(what: string, largest: readonly SizedPath[], limit: number): RepositoryError {
  const heavy = largest.filter(({ bytes }) => bytes >= limit / 100)
  const named = (heavy.length > 0 ? heavy : largest)
    .slice(0, largestShown)
    .map(({ path, bytes }) => `${path} (${sizeText(bytes)})`)
  const files = named.length === 1 ? 'file is' : 'files are'
  const advice = 'Add files that tests do not need to .gitignore, or commit and push the change.'
  return new RepositoryError(
    'too_large',
    `${what}${named.length > 0 ? ` The largest ${files} ${namesOf(named)}.` : ''} ${advice}`,
  )
}

export const sizeText = (bytes: number): string =>
  bytes < 2 ** 20 ? `${Math.ceil(bytes / 2 ** 10)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`

export const isDiskFull = (error: GitError): boolean => /No space left on device/.test(error.stderr)

/** Words for a failure of git while it reads the user's repository. Other errors stay as they are. */
export function explainGit(error: unknown, top: string): unknown {
  if (!(error instanceof GitError)) return error
  if (isDiskFull(error)) {
    return new RepositoryError('working_tree_refused', 'No disk space is left for temporary files. Free some space.')
  }
  return new RepositoryError(
    'not_a_repository',
    `git cannot read all objects of ${top}. The repository is damaged, or a partial clone that lacks objects. ` +
      'Run git fsck there.',
  )
}
