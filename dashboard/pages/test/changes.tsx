import { Link } from '@tanstack/react-router'
import { Prose } from '../../parts/prose.tsx'
import { Section } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import type { TestDetail } from './types.ts'

/** When the health of the test changed, newest first. */
export function Changes({ projectId, test: { changes } }: { projectId: string; test: TestDetail }) {
  if (changes.length === 0) return undefined
  return (
    <Section title="Changes of health">
      <ol className="test-changes plain-list">
        {changes.map(({ at, from, to, reason, runId }) => (
          <li key={`${at} ${from} ${to}`}>
            <span className="quiet">
              <Time at={at} />
            </span>
            <span className="row">
              <Status of={from} /> <span aria-hidden="true">→</span>
              <span className="visually-hidden">to</span> <Status of={to} />
            </span>
            <span>
              <Prose text={reason} />{' '}
              {runId === null ? undefined : (
                <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId }} preload={false}>
                  Run
                </Link>
              )}
            </span>
          </li>
        ))}
      </ol>
    </Section>
  )
}
