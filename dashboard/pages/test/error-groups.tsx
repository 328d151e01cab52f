import { Link } from '@tanstack/react-router'
import { LongText } from '../../parts/long-text.tsx'
import { plural } from '../../parts/number-text.ts'
import { Section } from '../../parts/page.tsx'
import type { TestDetail } from './types.ts'

/** The id of an error in the page, by its place in the list. */
export const errorId = (place: number) => `error-${place + 1}`

/** The errors with which the test failed in its latest results, the most frequent first. */
export function ErrorGroups({ projectId, test: { errors, testId } }: { projectId: string; test: TestDetail }) {
  if (errors.length === 0) return undefined
  return (
    <Section title="Errors">
      <ul className="test-errors plain-list">
        {errors.map(({ fingerprint, message, results, latestRunId }, place) => (
          <li key={fingerprint ?? 'none'} id={errorId(place)} className="card">
            <p>
              Error {place + 1}: <strong>{plural(results, 'result')}</strong>, latest in{' '}
              <Link
                to="/projects/$projectId/runs/$runId"
                params={{ projectId, runId: latestRunId }}
                search={{ tab: 'results', test: testId }}
                preload={false}
              >
                this run<span className="visually-hidden"> with error {place + 1}</span>
              </Link>
            </p>
            <LongText text={message ?? 'No message'} label={`Message of error ${place + 1}`} limit={600} />
          </li>
        ))}
      </ul>
    </Section>
  )
}
