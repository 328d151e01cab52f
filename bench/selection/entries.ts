import type { Snapshot, TreeEntry } from '../../engines/source/types.ts'
import type { Checkout } from './checkout.ts'

/** The files of a commit, read by git. */
export function borrowedEntries(checkout: Checkout, commit: string): Pick<Snapshot, 'entries' | 'read'> {
  const entries = checkout
    .git(['ls-tree', '-r', '-z', '--long', commit])
    .split('\0')
    .filter(Boolean)
    .map((line): TreeEntry => {
      const [facts = '', path = ''] = line.split('\t')
      const [mode = '', , blobId = '', size = ''] = facts.split(/\s+/)
      return { path, blobId, mode, size: size === '-' ? null : Number(size) }
    })
  return {
    entries,
    async *read(wanted) {
      const contents = checkout.contents(wanted.map(({ blobId }) => blobId))
      for (const [index, entry] of wanted.entries()) {
        yield await Promise.resolve({ entry, content: contents[index] ?? null })
      }
    },
  }
}
