import { type CodeOf, LineLinks } from '../../parts/code-link.tsx'
import { formatPercent, plural } from '../../parts/number-text.ts'
import { Change } from '../../parts/numbers.tsx'
import { Facts, Section } from '../../parts/page.tsx'
import type { Evidence } from './types.ts'

/** The lines and branches that only the new test covers. */
export function Gain({ evidence, code }: { evidence: Evidence; code: CodeOf }) {
  const { coverage: gain, target } = evidence
  if (!gain) return undefined
  const lines = (ranges: string) => (target ? <LineLinks ranges={ranges} path={target.path} of={code} /> : ranges)
  return (
    <Section title="Coverage gained">
      <Facts
        of={[
          ['Lines of the target that no other test covers', lines(gain.newTargetLines)],
          [
            'Branches of the target',
            <span key="branches" className="row">
              <span className="number">{gain.newTargetBranches}</span>
              {gain.newTargetBranchLines ? <span>on lines {lines(gain.newTargetBranchLines)}</span> : undefined}
            </span>,
          ],
          [
            'In the whole project',
            `${plural(gain.newProjectLines, 'line')}, ${plural(gain.newProjectBranches, 'branch', 'branches')}`,
          ],
          gain.before !== null &&
            gain.after !== null && [
              'Coverage of the project',
              <span key="change" className="row number">
                {formatPercent(gain.before)} → {formatPercent(gain.after)}
                {Math.abs(gain.after - gain.before) >= 0.005 ? <Change by={gain.after - gain.before} /> : undefined}
              </span>,
            ],
          ['Lines of the target that it reaches', lines(gain.targetLinesReached)],
        ]}
      />
    </Section>
  )
}
