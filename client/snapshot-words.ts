import type { TestedSnapshot } from '../core/test-runs/failures/schema.ts'
import type { LeftOut } from '../engines/source/packing/left-out.ts'
import { cleanLine, cleanName, shorten } from './sanitize.ts'
import type { CommittedTree, SentSnapshot, SnapshotProgress } from './snapshot.ts'

/** For a terminal, which has more room than an agent's context. */
const maxListed = 50
const maxNamedInLine = 3

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
    : `The server has a snapshot of this checkout already: ${what}, from ${minute(snapshot.createdAt)}.`
}

/** Describes the code of a run: `snapshot of 1a2b3c4, sent 2026-01-02 03:04 UTC`. */
export function testedSnapshotWords({ headSha, createdAt }: Pick<TestedSnapshot, 'headSha' | 'createdAt'>): string {
  if (createdAt === null) return 'snapshot, deleted since'
  return `snapshot${headSha === null ? '' : ` of ${headSha.slice(0, 7)}`}, sent ${minute(createdAt)}`
}

/** `2026-01-02 03:04 UTC` */
export const minute = (time: string) => `${time.slice(0, 16).replace('T', ' ')} UTC`

const reasons: Readonly<Record<LeftOut['reason'], string>> = {
  credential: 'looks like a credential',
  repository: 'is a repository of its own',
  submodule: 'belongs to a submodule',
  special_file: 'is not a regular file',
  filter: 'has a filter, so it is as in the index',
  name: 'has a name that git refuses',
  not_found: 'is ignored or does not exist',
}

/**
 * Says what an agent's call is about: `snapshot of 3 changed files on 1a2b3c4; left out: .env (looks like a credential);
 * to send it, run \`assay run --include FILE\``.
 *
 * @param command - the command that can send the files that were left out
 */
export function sentStateInWords(sent: SentSnapshot | CommittedTree, command: string): string {
  const { headSha, changedFiles, leftOut } = sent
  const files = `${changedFiles} changed ${changedFiles === 1 ? 'file' : 'files'}`
  const on = headSha === null ? 'without a commit' : `on ${headSha.slice(0, 7)}`
  const state =
    sent.snapshot === null
      ? `commit ${sent.headSha.slice(0, 7)}`
      : `snapshot of ${sent.isClean ? 'the unpushed commits' : files} ${on}`
  const named = leftOut
    .slice(0, maxNamedInLine)
    .map(({ path, reason }) => `${shorten(cleanName(path), 120)} (${reasons[reason]})`)
  const more = leftOut.length - named.length
  const left = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  const credentials = leftOut.filter(({ reason }) => reason === 'credential').length
  const how = credentials > 0 ? `; to send ${credentials === 1 ? 'it' : 'one'}, run \`${command} --include FILE\`` : ''
  return left === '' ? state : `${state}; left out: ${left}${how}`
}

/**
 * Names the files that a snapshot lacks, with the reasons.
 *
 * @param option - what takes a file in that looks like a credential
 */
export function leftOutLines(leftOut: readonly LeftOut[], option: string): string[] {
  const named = (files: readonly LeftOut[]) => {
    const names = files.slice(0, maxListed).map(({ path }) => shorten(cleanName(path), 200))
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
