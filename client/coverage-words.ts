import type { RankingCoverage } from '../engines/analysis/schema.ts'

/**
 * Says where the coverage of a ranking comes from.
 *
 * @param coverage - undefined if the analysis of a working tree could not look for coverage
 * @param measure - a sentence on how to measure it; undefined if the caller has just tried to
 */
export function whereMeasured(coverage: RankingCoverage | null | undefined, measure: string | undefined): string {
  if (!coverage) {
    const why = coverage === null ? 'no run has measured it' : 'the measured coverage of this working tree is not known'
    return [`Coverage is estimated, because ${why}.`, measure].filter(Boolean).join(' ')
  }
  const { changedFiles, goneFiles, measuredFiles, earlier = [] } = coverage
  const notes = [
    ...(changedFiles > 0 ? [`${measured(changedFiles)} changed since`] : []),
    ...(goneFiles > 0 ? [`the commit does not have ${measured(goneFiles)}`] : []),
  ]
  const rest = notes.map((text) => `; ${text}`).join('')
  if (earlier.length === 0) return `Coverage was measured ${whenOf(coverage)}${rest}.`
  const others = earlier.map((one) => `of ${files(one.measuredFiles)} ${whenOf(one)}`)
  const here = measuredFiles - earlier.reduce((sum, one) => sum + one.measuredFiles, 0)
  return `Coverage of ${files(here)} was measured ${whenOf(coverage)}, and ${others.join(', ')}${rest}.`
}

/** `at this commit`; `2 commits earlier, at abcdef0`. */
function whenOf({ commitSha, behind }: Pick<RankingCoverage, 'commitSha' | 'behind'>): string {
  if (behind === 0) return 'at this commit'
  const commits = behind === 1 ? '1 commit' : `${behind.toLocaleString('en')} commits`
  return `${commits} earlier, at ${commitSha.slice(0, 7)}`
}

const files = (count: number) => (count === 1 ? '1 file' : `${count.toLocaleString('en')} files`)
const measured = (count: number) => files(count).replace(' ', ' measured ')
