import { Link } from '@tanstack/react-router'
import { Commit } from '../../parts/copy.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { formatCount, formatPercent, plural } from '../../parts/number-text.ts'
import { Count } from '../../parts/numbers.tsx'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Duration, Time } from '../../parts/time.tsx'
import { useNames, Who } from '../../parts/who.tsx'
import { isActive, type Run, sources, subjectOf } from './words.ts'

export function RunTable({ projectId, runs }: { projectId: string; runs: readonly Run[] }) {
  const nameOf = useNames(projectId)
  return (
    <Table
      label="Runs"
      columns={columnsOf(projectId, nameOf)}
      rows={runs}
      rowKey={({ id }) => id}
      tone={({ reportedStatus }) =>
        reportedStatus === 'FAILED' ? 'bad' : reportedStatus === 'ERROR' ? 'warn' : undefined
      }
    />
  )
}

function columnsOf(projectId: string, nameOf: (userId: string) => string | undefined): Column<Run>[] {
  return [
    {
      id: 'status',
      title: 'Status',
      cell: (run) => (
        <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: run.id }} className="run-link">
          <Status of={run.reportedStatus} />
          <span className="visually-hidden">, run {run.id}</span>
        </Link>
      ),
      value: ({ reportedStatus }) => reportedStatus,
    },
    {
      id: 'branch',
      title: 'Branch',
      cell: ({ branch, pullRequest }) => (
        <>
          {branch === null ? (
            <span className="quiet">–</span>
          ) : (
            <Link
              to="/projects/$projectId/runs"
              params={{ projectId }}
              search={{ branch }}
              preload={false}
              className="run-branch"
              title={branch}
            >
              <ShortText text={branch} />
            </Link>
          )}
          {pullRequest === null ? undefined : <span className="quiet"> #{pullRequest}</span>}
        </>
      ),
      value: ({ branch }) => branch,
    },
    {
      id: 'commit',
      title: 'Commit',
      cell: ({ commitSha }) => <Commit sha={commitSha} />,
      value: (run) => run.commitSha,
    },
    {
      id: 'when',
      title: 'When',
      cell: ({ createdAt }) => (
        <span className="number">
          <Time at={createdAt} />
        </span>
      ),
      value: ({ createdAt }) => createdAt,
    },
    failedColumn,
    { ...countColumn('muted'), exportOnly: true },
    ...(['passed', 'skipped', 'flaky'] as const).map((kind) => countColumn(kind)),
    {
      id: 'coverage',
      title: 'Coverage',
      align: 'right',
      minor: true,
      cell: ({ coverage }) =>
        coverage === null ? (
          <span className="quiet">–</span>
        ) : (
          <span className="number">{formatPercent(coverage)}</span>
        ),
      value: ({ coverage }) => coverage,
    },
    {
      id: 'duration',
      title: 'Duration',
      align: 'right',
      cell: ({ duration }) => <Duration ms={duration} />,
      value: ({ duration }) => duration,
    },
    {
      id: 'subject',
      title: 'Tests',
      minor: true,
      cell: (run) => {
        const text = isActive(run) ? activityOf(run) : subjectOf(run)
        if (text === undefined) return <span className="quiet">all</span>
        return (
          <span className="run-subject">
            <ShortText text={text} limit={80} />
          </span>
        )
      },
      value: (run) => subjectOf(run) ?? 'all',
    },
    { id: 'source', title: 'Source', minor: 'wide', cell: ({ source }) => sources[source], value: (run) => run.source },
    {
      id: 'who',
      title: 'By',
      minor: 'wide',
      cell: ({ userId }) => <Who name={nameOf(userId)} />,
      value: ({ userId }) => nameOf(userId) ?? userId,
    },
  ]
}

function countColumn(kind: 'muted' | 'passed' | 'skipped' | 'flaky'): Column<Run> {
  const countOf = (run: Run) => run[`${kind}Tests`]
  return {
    id: kind,
    title: `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`,
    align: 'right',
    minor: kind === 'skipped' || kind === 'flaky',
    cell: (run) => (run.totalTests === 0 ? <span className="quiet">–</span> : <Count of={countOf(run)} />),
    value: countOf,
  }
}

const failedColumn: Column<Run> = {
  id: 'failed',
  title: 'Failed',
  align: 'right',
  cell: ({ totalTests, failedTests, mutedTests }) =>
    totalTests === 0 ? (
      <span className="quiet">–</span>
    ) : mutedTests === 0 ? (
      <Count of={failedTests} />
    ) : (
      <span className="two-lines">
        <Count of={failedTests} />
        <span className="quiet number">{formatCount(mutedTests)} muted</span>
      </span>
    ),
  value: ({ failedTests }) => failedTests,
}

/** What a queued or running run waits for or does. */
function activityOf({ queue, progress }: Run): string | undefined {
  if (queue) return queue.position <= 1 ? 'next in the queue' : `${plural(queue.position - 1, 'run')} before it`
  return progress ? (progress.command ?? progress.phase) : undefined
}
