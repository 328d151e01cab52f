import { Link } from '@tanstack/react-router'
import { Commit, Snippet } from '../../parts/copy.tsx'
import { QuarantineTag, VariantTag } from '../../parts/health.tsx'
import { Prose } from '../../parts/prose.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import type { TestDetail } from './types.ts'

interface CardProps {
  projectId: string
  test: TestDetail
}

/** The health of a test, why it has it, since when, and what to do. */
export function HealthCard({ projectId, test }: CardProps) {
  const { health, reason, since, advice, quarantine, variant, rerunCommand } = test
  return (
    <section className={`card health-card health-${health}`} aria-label="Health" aria-live="polite">
      <p className="row health-head">
        <Status of={health} />
        <VariantTag of={variant} />
        <QuarantineTag of={quarantine} />
      </p>
      <p>
        <Prose text={reason} />
        {since === null ? undefined : (
          <>
            {' '}
            <span className="quiet">Since</span>{' '}
            {since.runId === null ? undefined : (
              <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: since.runId }} preload={false}>
                the run{since.commit === null ? '' : ' of'}
              </Link>
            )}{' '}
            {since.commit === null ? undefined : <Commit sha={since.commit} />} <Time at={since.at} />.
          </>
        )}
      </p>
      <p className="health-advice">
        <Prose text={advice} />
      </p>
      {rerunCommand === null ? undefined : (
        <div className="health-rerun">
          <span className="hint">Run the test in a checkout:</span>
          <Snippet text={rerunCommand} label="Command that runs the test" />
        </div>
      )}
    </section>
  )
}
