import { Empty, Section } from '../../parts/page.tsx'
import { PlanView } from '../runs/plan-view.tsx'
import type { RunDetail } from './run.ts'
import { Timeline, type TimelineEntry } from './timeline.tsx'

/** The commands of the run, and what its time consisted of. */
export function PlanTab({ run }: { run: RunDetail }) {
  const plan = run.plan ?? []
  const timeline = timelineOf(run)
  if (plan.length === 0 && timeline.length === 0) {
    return (
      <Empty title="This run has no plan">
        <p>
          {run.source === 'upload'
            ? 'The tests ran elsewhere, and their reports were uploaded.'
            : 'The commands are known once the commit has been fetched.'}
        </p>
      </Empty>
    )
  }
  return (
    <>
      {timeline.length > 0 ? (
        <Section title="Timeline">
          <Timeline entries={timeline} />
        </Section>
      ) : undefined}
      {plan.length > 0 ? (
        <Section title="Commands">
          <PlanView parts={plan} />
        </Section>
      ) : undefined}
    </>
  )
}

/** A server of an older version does not send the timeline. */
function timelineOf(run: RunDetail): readonly TimelineEntry[] {
  return 'timeline' in run && Array.isArray(run.timeline) ? run.timeline : []
}
