/** A branch by its name, a commit by the first digits of its id. */
export const refName = (ref: string) => (/^[0-9a-f]{40,64}$/.test(ref) ? ref.slice(0, 10) : ref)

/** What was changed, in a word: a branch, a commit or a working tree. */
export function headOf(of: { snapshotId: string | null; head: string | null; headSha: string | null }): string {
  if (of.snapshotId !== null) return of.headSha === null ? 'Working tree' : `Working tree ${refName(of.headSha)}`
  return refName(of.head ?? of.headSha ?? 'Project branch')
}
