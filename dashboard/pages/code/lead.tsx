import { Commit } from '../../parts/copy.tsx'
import { formatBytes, formatCount, formatPercent, plural } from '../../parts/number-text.ts'
import type { CodeFile } from './query.ts'

/** The file in a line: how much of it is covered, checked and changed. */
export function Lead({ of }: { of: CodeFile }) {
  const { coverage, strength, churn, totalLines } = of
  const parts = [
    coverage && coverage.lines.total > 0
      ? `${formatPercent((100 * coverage.lines.covered) / coverage.lines.total)} of ${plural(coverage.lines.total, 'line')} covered`
      : undefined,
    coverage?.branchShare && coverage.branchShare.total > 0
      ? `${formatCount(coverage.branchShare.covered)} of ${plural(coverage.branchShare.total, 'branch', 'branches')} taken`
      : undefined,
    strength && strength.tried > 0
      ? `${formatCount(strength.noticed)} of ${plural(strength.tried, 'small change')} noticed`
      : undefined,
    churn ? churnText(churn) : undefined,
    of.language === 'Unknown' ? undefined : of.language,
    totalLines === null ? undefined : plural(totalLines, 'line'),
    formatBytes(of.bytes),
  ]
  return (
    <>
      {parts.filter((part) => part !== undefined).join(' · ')} · <Commit sha={of.commitSha} />
      {of.snapshotId === null ? undefined : ' of a working tree'}
    </>
  )
}

const churnText = ({ changes, commits }: { changes: number; commits: number }) =>
  commits === 1
    ? `${changes === 1 ? 'changed' : 'not changed'} in the last commit`
    : `changed in ${formatCount(changes)} of the last ${plural(commits, 'commit')}`
