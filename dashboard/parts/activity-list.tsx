import { Link, type LinkProps } from '@tanstack/react-router'
import type { Outputs } from '../api.ts'
import { formatCount } from './number-text.ts'
import { Prose } from './prose.tsx'
import { Status } from './status.tsx'
import { Time } from './time.tsx'
import '../styles/activity.css'

type Entry = Outputs['projects']['activity']['entries'][number]

/** What happened, in the words of the list. */
export const kindNames: Record<Entry['kind'], string> = {
  analysis: 'Analysis',
  suggestion: 'Suggestion',
  generated_test: 'Generated test',
  verification: 'Verification',
  change: 'Change',
  strength: 'Measurement of strength',
  run: 'Test run',
  snapshot: 'Snapshot',
}

/** A verdict before the end may still change. */
const activeStatuses: ReadonlySet<string> = new Set(['pending', 'running'])

/** What agents, people, CI and code hosts did in a project, newest first. */
export function ActivityList({ projectId, entries }: { projectId: string; entries: readonly Entry[] }) {
  return (
    <ol className="activity">
      {entries.map((entry) => (
        <li key={`${entry.kind} ${entry.id}`}>
          <div className="activity-when">
            <Time at={entry.at} />
          </div>
          <div className="activity-what">
            <p>
              <span className="quiet">{kindNames[entry.kind]}</span> <EntryLink projectId={projectId} entry={entry} />
            </p>
            {entry.outcome ? (
              <p className="activity-outcome">
                <Prose text={entry.outcome} max={300} />
              </p>
            ) : undefined}
            <p className="quiet">
              {actorOf(entry)}
              {entry.tokensUsed === null ? undefined : <> · {formatCount(entry.tokensUsed)} tokens of the model</>}
            </p>
          </div>
          <div className="activity-status">
            <Status of={activeStatuses.has(entry.status) ? entry.status : (entry.verdict ?? entry.status)} />
          </div>
        </li>
      ))}
    </ol>
  )
}

/** A token acts for an agent or CI, a session for the person. */
function actorOf({ by, source }: Entry): string {
  if (by === null) {
    const isEvent = source === 'push' || source === 'pull_request' || source === 'release'
    return isEvent ? 'Code host' : 'Author not recorded'
  }
  return by.token ? `${by.token.name}, a token of ${by.name}` : by.name
}

function EntryLink({ projectId, entry }: { projectId: string; entry: Entry }) {
  const target = targetOf(projectId, entry)
  return target ? <Link {...target}>{entry.title}</Link> : <span>{entry.title}</span>
}

function targetOf(projectId: string, { kind, subjectId }: Entry): LinkProps | undefined {
  switch (kind) {
    case 'run':
      return { to: '/projects/$projectId/runs/$runId', params: { projectId, runId: subjectId } }
    case 'verification':
      return {
        to: '/projects/$projectId/verifications/$verificationId',
        params: { projectId, verificationId: subjectId },
      }
    case 'change':
      return { to: '/projects/$projectId/changes/$changeId', params: { projectId, changeId: subjectId } }
    case 'strength':
      return { to: '/projects/$projectId/strength/$measurementId', params: { projectId, measurementId: subjectId } }
    case 'generated_test':
      return {
        to: '/projects/$projectId/generated-tests/$generatedTestId',
        params: { projectId, generatedTestId: subjectId },
      }
    case 'suggestion':
      return {
        to: '/projects/$projectId/suggestions',
        params: { projectId },
        search: { tab: 'suggestions', open: subjectId },
      }
    default:
      return undefined
  }
}
