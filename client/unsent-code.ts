import type { ChangeVerdict } from '../engines/verdicts/change/schema.ts'
import type { LeftOut } from '../engines/source/packing/left-out.ts'
import { cleanName, shorten } from './sanitize.ts'

const maxNamed = 3

/** Code and tests of a checkout that its snapshot lacks, although git lists them as changed or untracked. */
export interface UnsentCode {
  /** "src/refund.js was left out of the snapshot, so nothing is proved about it." */
  sentence: string
  /** How to send it. */
  advice: string
}

/**
 * Describes the code and the tests among the files that a snapshot lacks.
 *
 * @param include - says how to send a file that looks like a credential
 * @returns undefined if there are none
 */
export async function unsentCode(leftOut: readonly LeftOut[], include: string): Promise<UnsentCode | undefined> {
  const existing = leftOut.filter(({ reason }) => reason !== 'not_found')
  if (existing.length === 0) return undefined
  const { kindOfFile } = await import('../engines/verdicts/change/changed-files.ts')
  const code = existing.filter(({ path }) => ['code', 'test'].includes(kindOfFile(path)))
  if (code.length === 0) return undefined
  const named = code.slice(0, maxNamed).map(({ path }) => shorten(cleanName(path), 120))
  const more = code.length > maxNamed ? ` and ${code.length - maxNamed} more files of code` : ''
  const isOne = code.length === 1
  const hasCredentials = code.some(({ reason }) => reason === 'credential')
  const hasFilters = code.some(({ reason }) => reason === 'filter')
  const ways = [
    ...(hasCredentials ? [include] : []),
    ...(hasFilters ? ['commit files with a filter and verify the commit'] : []),
    ...(hasCredentials || hasFilters ? [] : ['commit the code and verify the commit']),
  ]
  return {
    sentence: `${named.join(', ')}${more} ${isOne ? 'was' : 'were'} left out of the snapshot, so nothing is proved about ${isOne ? 'it' : 'them'}.`,
    advice: `To send ${isOne ? 'it' : 'them'}, ${ways.join(', or ')}.`,
  }
}

/** Whether a verdict would otherwise say that the change needs nothing more. */
export const seemsDone = (verdict: ChangeVerdict | null): boolean =>
  verdict === 'proved' || verdict === 'no_code_changed'
