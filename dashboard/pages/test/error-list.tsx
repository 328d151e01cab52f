import { Link } from '@tanstack/react-router'
import { Commit } from '../../parts/copy.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { plural } from '../../parts/number-text.ts'
import { Section } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { errorsOf, type PastResult } from './history.ts'

/** The errors with which the test failed, the most frequent first. */
export function ErrorList({ projectId, results }: { projectId: string; results: readonly PastResult[] }) {
  const errors = errorsOf(results)
  if (errors.length === 0) return undefined
  return (
    <Section title="Errors">
      <ul className="test-errors plain-list">
        {errors.slice(0, 20).map(({ key, message, results: [latest, ...others] }) => (
          <li key={key} className="card">
            <p>
              <strong>{plural(others.length + 1, 'run')}</strong>
              {latest ? (
                <>
                  , latest in{' '}
                  <Link
                    to="/projects/$projectId/runs/$runId"
                    params={{ projectId, runId: latest.runId }}
                    preload={false}
                  >
                    the run{latest.commitSha === null ? '' : ' of '}
                    {latest.commitSha === null ? undefined : <Commit sha={latest.commitSha} />}
                  </Link>{' '}
                  <Time at={latest.ranAt} />
                  {others.length > 0 ? (
                    <>
                      , first <Time at={others.at(-1)?.ranAt} />
                    </>
                  ) : undefined}
                </>
              ) : undefined}
            </p>
            <LongText text={message === '' ? 'No message' : message} label="Message" limit={600} />
          </li>
        ))}
      </ul>
    </Section>
  )
}
