import { commitSha as commitId } from '../base/input-fields/schema.ts'

/** Returns what a head names: a full commit id, or else a branch. Both are null for a snapshot. */
export function headOf(head: string | null): { branch: string | null; commitSha: string | null } {
  if (head === null) return { branch: null, commitSha: null }
  return commitId.safeParse(head).success ? { branch: null, commitSha: head } : { branch: head, commitSha: null }
}
