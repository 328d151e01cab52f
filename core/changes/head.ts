import { commitSha as commitId } from '../base/input-fields/schema.ts'

/** Returns what a head names: a full commit id, or else a branch. */
export const headOf = (head: string): { branch?: string; commitSha?: string } =>
  commitId.safeParse(head).success ? { commitSha: head } : { branch: head }
