import type { LeftOut } from '../engines/source/packing/left-out.ts'
import { cleanLine, cleanName, shorten } from './sanitize.ts'
import type { SentSnapshot, SnapshotProgress } from './snapshot.ts'

const maxNamed = 5

export const sizeWords = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`

export function snapshotProgress(progress: SnapshotProgress): string {
  switch (progress.phase) {
    case 'listing':
      return `Packing the working tree, ${progress.files} files`
    case 'packing':
      return `Packing the working tree, ${progress.objects} objects, ${sizeWords(progress.bytes)}`
    default:
      return `Sending the snapshot, ${sizeWords(progress.sentBytes)} of ${sizeWords(progress.bytes)}`
  }
}

/** Says that a snapshot was sent, and of what: `3 changed files on 1a2b3c4`. */
export function sentLine({ snapshot, headSha, changedFiles, isNew, sentBytes }: SentSnapshot): string {
  const files = `${headSha === null ? '' : 'changed '}file${changedFiles === 1 ? '' : 's'}`
  const on = headSha === null ? '' : ` on ${headSha.slice(0, 7)}`
  const content = changedFiles === 0 && headSha !== null ? `the local commit ${headSha.slice(0, 7)}` : undefined
  const what = content ?? `${changedFiles === 0 ? 'no' : changedFiles} ${files}${on}`
  return isNew
    ? `Sent a snapshot of this checkout: ${what} (${sizeWords(sentBytes)}).`
    : `The server has a snapshot of this checkout already: ${what}, from ${snapshot.createdAt.slice(0, 16).replace('T', ' ')} UTC.`
}

/**
 * Names the files that a snapshot lacks, with the reasons.
 *
 * @param option - what takes a file in that looks like a credential
 */
export function leftOutLines(leftOut: readonly LeftOut[], option: string): string[] {
  const named = (files: readonly LeftOut[]) => {
    const names = files.slice(0, maxNamed).map(({ path }) => shorten(cleanName(path), 200))
    const more = files.length - names.length
    return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  }
  const credentials = leftOut.filter(({ reason }) => reason === 'credential')
  const others = leftOut.filter(({ reason }) => reason !== 'credential')
  const isOne = credentials.length === 1
  return [
    ...(credentials.length > 0
      ? [
          `Left out: ${named(credentials)} (${isOne ? 'looks like a credential' : 'look like credentials'}). ` +
            `Name ${isOne ? 'it' : 'one'} with ${option} to send it.`,
        ]
      : []),
    ...[...Map.groupBy(others, ({ why }) => why)].map(([why, files]) => `Left out: ${named(files)}. ${cleanLine(why)}`),
  ]
}
