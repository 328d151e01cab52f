import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ProjectSettingsChange } from '../../../core/projects/schema.ts'
import { type Outputs, trpc } from '../../api.ts'
import { Commit } from '../../parts/copy.tsx'
import { Problem } from '../../parts/loaded.tsx'
import { Section } from '../../parts/page.tsx'
import '../../styles/plan.css'

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
    plan.mutate({ projectId })
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
        {plan.data ? <PlanView plan={plan.data} /> : undefined}
      </div>
    </Section>
  )
}

function PlanView({ plan: { commitSha, branch, parts } }: { plan: Outputs['testRuns']['plan'] }) {
  return (
    <>
      <p>
        For commit <Commit sha={commitSha} />
        {branch === null ? '' : ` of ${branch}`}
      </p>
      {parts.length === 0 ? <p>The plan has no commands.</p> : undefined}
      {parts.map(({ directory, ecosystem, framework, steps, notes }) => (
        <div key={`${directory} ${ecosystem} ${framework}`} className="plan-part">
          <h3>
            {directory === '' ? 'Repository' : <code>{directory}</code>}{' '}
            <span className="hint">{[ecosystem, framework].filter(Boolean).join(', ')}</span>
          </h3>
          <ol className="plan-steps">
            {steps.map(({ kind, command, because }) => (
              <li key={`${kind} ${command}`}>
                <span className="chip">{kind}</span> <code>{command}</code>
                <p className="hint">{because}</p>
              </li>
            ))}
          </ol>
          {notes.map((note) => (
            <p key={note} className="hint">
              {note}
            </p>
          ))}
        </div>
      ))}
    </>
  )
}
