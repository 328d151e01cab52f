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
  const { commitSha, behind, changedFiles, goneFiles } = coverage
  const since = [
    ...(changedFiles > 0 ? [`${files(changedFiles)} changed since`] : []),
    ...(goneFiles > 0 ? [`${files(goneFiles)} removed since`] : []),
  ]
  const changes = since.map((text) => `; ${text}`).join('')
  if (behind === 0) return `Coverage was measured at this commit${changes}.`
  const commits = behind === 1 ? '1 commit' : `${behind.toLocaleString('en')} commits`
  return `Coverage was measured ${commits} earlier, at ${commitSha.slice(0, 7)}${changes}.`
}

const files = (count: number) => (count === 1 ? '1 measured file' : `${count.toLocaleString('en')} measured files`)
