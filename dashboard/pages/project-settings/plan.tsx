import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ProjectSettingsChange } from '../../../core/projects/schema.ts'
import { trpc } from '../../api.ts'
import { Commit } from '../../parts/copy.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { Problem } from '../../parts/loaded.tsx'
import { Section } from '../../parts/page.tsx'
import { PlanView } from '../runs/plan-view.tsx'
import '../../styles/plan.css'
import '../../styles/runs.css'

interface PreviewProps {
  projectId: string
  settings: ProjectSettingsChange
  mayPlan: boolean
}

/** The commands that a run would execute. Reads the repository and runs none of its code. */
export function PlanPreview({ projectId, settings, mayPlan }: PreviewProps) {
  const plan = useMutation(trpc.testRuns.plan.mutationOptions())
  const wanted = JSON.stringify(settings)
  const [shown, setShown] = useState<string>()
  const show = () => {
    setShown(wanted)
    plan.mutate({ projectId, settings })
  }
  const isOld = plan.data !== undefined && shown !== wanted
  return (
    <Section
      title="Resulting plan"
      actions={
        <button type="button" className="plain" disabled={plan.isPending || !mayPlan} onClick={show}>
          {plan.data || plan.error ? 'Plan again' : 'Show the plan'}
        </button>
      }
    >
      <div aria-live="polite" className="stack">
        {plan.isIdle ? (
          <p className="quiet">
            Shows which commands a run executes with these settings, and why. Nothing is executed.
          </p>
        ) : undefined}
        {plan.isPending ? <p className="quiet">Reading the repository</p> : undefined}
        {isOld ? <p className="tone-warn">The settings have changed since. Plan again.</p> : undefined}
        {plan.error ? <Problem error={plan.error} /> : undefined}
        {plan.data ? (
          <>
            <p>
              For commit <Commit sha={plan.data.commitSha} />
              {plan.data.branch === null ? undefined : (
                <>
                  {' '}
                  of <ShortText text={plan.data.branch} />
                </>
              )}
            </p>
            <PlanView parts={plan.data.parts} />
          </>
        ) : undefined}
      </div>
    </Section>
  )
}
