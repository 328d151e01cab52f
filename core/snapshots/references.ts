import { parseBaseReference } from '../../engines/source/base-reference.ts'
import { RepositoryError } from '../../engines/source/types.ts'
import { invalidField } from '../base/errors.ts'
import { commitSha as commitId } from '../base/input-fields/schema.ts'

/** Returns what a head names: a full commit id, or else a branch. */
export const headOf = (head: string): { branch?: string; commitSha?: string } =>
  commitId.safeParse(head).success ? { commitSha: head } : { branch: head }

/** @throws AppError 400 unless it can be the name of a branch, a tag or a commit to compare with */
export function requireBase(base: string): void {
  try {
    parseBaseReference(base)
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error
    throw invalidField('base', 'must be the name of a branch, a tag or a commit, such as main or HEAD~1')
  }
}
