import { Empty, Section } from '../../parts/page.tsx'
import { PlanView } from '../runs/plan-view.tsx'
import type { RunDetail } from './run.ts'

/** The commands of the run. */
export function PlanTab({ run }: { run: RunDetail }) {
  const { plan } = run
  if (plan && plan.length > 0) {
    return (
      <Section title="Commands">
        <PlanView parts={plan} />
      </Section>
    )
  }
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
