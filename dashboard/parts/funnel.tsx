import type { Outputs } from '../api.ts'
import { formatCount, formatPercent } from './number-text.ts'

type Funnel = Outputs['projects']['funnel']
type Stage = keyof Funnel['stages']

/** The stages in their order, each a part of the one before it. */
const stages: readonly (readonly [Stage, string, string])[] = [
  ['proposed', 'Proposed', 'Tests with a final verdict'],
  ['built', 'Built', 'They compile and run'],
  ['stable', 'Stable', 'They gave the same result in every repeat'],
  ['gaining', 'Gaining', 'They run lines or branches that no test ran before'],
  ['killing', 'Killing', 'They notice a change of the code'],
  ['kept', 'Kept', 'They are in a later run of the branch'],
  ['passingAfter30Days', 'Passing after 30 days', 'They were kept 30 or more days ago, and still pass'],
]

/** How many of the tests that were proposed reached each stage. */
export function Funnel({ funnel }: { funnel: Funnel }) {
  const { stages: counts, dueAfter30Days } = funnel
  if (counts.proposed === 0) return <p className="quiet">No test was verified in this period.</p>
  return (
    <dl className="funnel">
      {stages.map(([stage, name, meaning]) => {
        const whole = stage === 'passingAfter30Days' ? dueAfter30Days : counts.proposed
        const share = whole === 0 ? 0 : (100 * counts[stage]) / whole
        return (
          <div key={stage} className="funnel-stage">
            <dt title={meaning}>
              {name}
              <span className="visually-hidden">: {meaning}</span>
            </dt>
            <dd aria-hidden="true">
              <div className="funnel-bar" style={{ width: `${share}%` }} />
            </dd>
            <dd className="number">
              {formatCount(counts[stage])}{' '}
              <span className="quiet">
                {stage === 'passingAfter30Days'
                  ? dueAfter30Days === 0
                    ? 'none that old'
                    : `of ${formatCount(dueAfter30Days)}`
                  : stage === 'proposed'
                    ? ''
                    : formatPercent(share)}
              </span>
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
