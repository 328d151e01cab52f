import { skipToken, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { Commit } from '../../parts/copy.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { plural } from '../../parts/number-text.ts'
import { RunStrip } from '../../parts/run-strip.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { isActive, type Run } from './words.ts'

/** The state of a branch in a sentence, and its latest runs as bars. */
export function BranchState({ projectId, branch }: { projectId: string; branch: string | undefined }) {
  const input = branch === undefined ? skipToken : { projectId, branch, whole: true, limit: 50 }
  const latest = useQuery(
    trpc.testRuns.list.queryOptions(input, {
      refetchInterval: ({ state }) => (state.data?.runs.some(isActive) ? 5_000 : false),
    }),
  )
  const runs = latest.data?.runs
  return (
    <div className="branch-state card" aria-live="polite">
      {runs === undefined || branch === undefined ? (
        <p>&nbsp;</p>
      ) : (
        <>
          <BranchSentence projectId={projectId} branch={branch} runs={runs} />
          {runs.length > 0 ? (
            <RunStrip projectId={projectId} runs={runs.map((run) => ({ ...run, runId: run.id }))} />
          ) : undefined}
        </>
      )}
    </div>
  )
}

interface SentenceProps {
  projectId: string
  branch: string
  runs: readonly Run[]
}

function BranchSentence({ projectId, branch, runs }: SentenceProps) {
  const ended = runs.filter((run) => run.reportedStatus === 'PASSED' || isRed(run))
  const [latest] = ended
  const name = (
    <strong>
      <ShortText text={branch} limit={60} />
    </strong>
  )
  if (!latest) return <p>No run of {name} has a result yet.</p>
  const otherAt = ended.findIndex((run) => isRed(run) !== isRed(latest))
  const streak = otherAt === -1 ? ended : ended.slice(0, otherAt)
  const first = streak.at(-1) ?? latest
  const failed = ended.filter(isRed).length
  return (
    <p className="branch-sentence">
      <Status of={isRed(latest) ? 'failing' : 'passing'} />
      <span>
        {name} {isRed(latest) ? 'has failed' : 'has passed'}{' '}
        {otherAt === -1 ? (
          streak.length === 1 ? (
            'in its only run'
          ) : (
            <>in each of its latest {plural(streak.length, 'run')}</>
          )
        ) : (
          <>
            since{' '}
            <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: first.id }}>
              <Commit sha={first.commitSha} />
            </Link>{' '}
            <Time at={first.createdAt} /> ({plural(streak.length, 'run')})
          </>
        )}
        .{ended.length > 1 ? ` ${failed} of ${plural(ended.length, 'run')} failed.` : ''}
      </span>
    </p>
  )
}

const isRed = ({ reportedStatus }: Run) => reportedStatus === 'FAILED' || reportedStatus === 'ERROR'
