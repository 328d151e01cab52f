import { RepositoryError } from './types.ts'
import { nearNames } from './near-names.ts'
import { isValidBranchName } from './url.ts'

/** What a change is compared with: a branch, a tag, a commit or `HEAD`, and what leads from there to an earlier commit. */
export interface BaseReference {
  name: string
  /** `~3`, `^`, or empty. */
  suffix: string
}

const maxLength = 255

/**
 * Reads the name of a branch, a tag or a commit, or `HEAD`, each with an optional `~3` or `^`.
 *
 * @throws RepositoryError for all else that git would understand, such as options, ranges and paths
 */
export function parseBaseReference(text: string): BaseReference {
  const at = text.search(/[~^]/)
  const name = at === -1 ? text : text.slice(0, at)
  const suffix = at === -1 ? '' : text.slice(at)
  const isValid = name === 'HEAD' || isValidBranchName(name)
  if (text.length > maxLength || !isValid || !/^(?:~\d{0,9}|\^){0,8}$/.test(suffix)) {
    throw new RepositoryError(
      'reference_not_found',
      `${JSON.stringify(text.slice(0, 80))} is not the name of a branch, a tag or a commit.`,
    )
  }
  return { name, suffix }
}

/** Whether a name may be a commit's id or the beginning of one. */
export const isLikeCommit = (name: string): boolean => /^[0-9a-f]{7,64}$/.test(name)

/** @param names - the branches and tags that exist */
export function baseMissing(text: string, names: Iterable<string>): RepositoryError {
  const all = [...names]
  const near = nearNames(text, all)
  const [intro, some] = near.length > 0 ? ['The nearest names are', near] : ['It has', all.slice(0, 5)]
  const known = some.length > 0 ? ` ${intro}: ${some.join(', ')}.` : ''
  return new RepositoryError(
    'reference_not_found',
    `the repository has no branch, tag or commit ${JSON.stringify(text)}.${known}`,
  )
}

/**
 * Explains why there is no last commit in common.
 *
 * @param history - `commits`: how many commits of the history were read; null for all of them
 */
export function noCommonCommit(
  text: string,
  history: { unknown: string } | { commits: number | null },
): RepositoryError {
  const name = JSON.stringify(text)
  const isEarlier = /^HEAD[~^]/.test(text)
  const message = (): string => {
    if ('unknown' in history)
      return `${name} cannot be compared with the head, because the history is not known: ${history.unknown}`
    if (history.commits === null) {
      if (isEarlier && /^HEAD(?:~1?|\^)$/.test(text))
        return `${name} does not exist, because the head is the first commit.`
      return isEarlier
        ? `${name} is before the first commit of the history. Use a later commit, such as HEAD~1.`
        : `${name} has no commit in common with the head.`
    }
    const read = `the last ${history.commits.toLocaleString('en')} commits`
    return isEarlier
      ? `${name} is too far back: Assay reads ${read}. Use a later commit.`
      : `${name} has no commit in common with the head in ${read}, which is how far back Assay looks. Use a later commit.`
  }
  const isCertain = !isEarlier && 'commits' in history && history.commits === null
  return new (isCertain ? NothingInCommon : RepositoryError)('reference_not_found', message())
}

/** The whole histories of two commits are known, and have no commit in common. */
export class NothingInCommon extends RepositoryError {}

/** Begins the message about a reference that was not found with the name of the field that has it. */
export async function namingField<T>(field: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof RepositoryError) || error.code !== 'reference_not_found') throw error
    throw new RepositoryError(error.code, `${field}: ${error.message}`)
  }
}
