import type { LeftOut } from '../engines/source/packing/left-out.ts'
import { cleanName, shorten } from './sanitize.ts'
import type { CommittedTree, SentSnapshot } from './snapshot.ts'

const maxNamed = 3

const reasons: Readonly<Record<LeftOut['reason'], string>> = {
  credential: 'looks like a credential',
  repository: 'is a repository of its own',
  submodule: 'belongs to a submodule',
  special_file: 'is not a regular file',
  filter: 'has a filter, so it is as in the index',
  name: 'has a name that git refuses',
  not_found: 'is ignored or does not exist',
}

/** "snapshot of 3 changed files on 1a2b3c4; left out: .env (looks like a credential)" */
export function sentStateInWords(sent: SentSnapshot | CommittedTree): string {
  const { headSha, changedFiles, leftOut } = sent
  const files = `${changedFiles} changed ${changedFiles === 1 ? 'file' : 'files'}`
  const on = headSha === null ? 'without a commit' : `on ${headSha.slice(0, 7)}`
  const state =
    sent.snapshot === null
      ? `commit ${sent.headSha.slice(0, 7)}`
      : `snapshot of ${sent.isClean ? 'the unpushed commits' : files} ${on}`
  const named = leftOut
    .slice(0, maxNamed)
    .map(({ path, reason }) => `${shorten(cleanName(path), 120)} (${reasons[reason]})`)
  const more = leftOut.length - named.length
  const left = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  return left === '' ? state : `${state}; left out: ${left}`
}
