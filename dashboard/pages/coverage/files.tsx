import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { client, queryClient, trpc } from '../../api.ts'
import { ShortText } from '../../parts/long-text.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { formatCount } from '../../parts/number-text.ts'
import { Count, Percent } from '../../parts/numbers.tsx'
import { type Column, ExportButton } from '../../parts/table.tsx'
import { VirtualTable } from '../../parts/virtual-table.tsx'
import { ShareText } from './folder.tsx'
import { type FileRow, percentOf, uncoveredOf } from './query.ts'

const pageSize = 100

/** All files that the run measured, the one with the most uncovered lines first. */
export function Files({ projectId, runId }: { projectId: string; runId: string }) {
  const first = useQuery(trpc.testRuns.coverage.queryOptions({ runId, limit: pageSize, offset: 0 }))
  const columns = columnsFor(projectId, runId)
  return (
    <Loaded query={first}>
      {({ pagination: { total } }) => (
        <div className="stack">
          <VirtualTable
            label={`${formatCount(total)} files by uncovered lines`}
            columns={columns}
            widths="minmax(14rem, 2fr) 5rem 9rem 5rem 7rem minmax(8rem, 1fr)"
            total={total}
            pageSize={pageSize}
            pageQuery={(offset) => filesQuery(runId, offset)}
          />
          <p className="row coverage-export">
            <ExportButton label="Coverage by file" columns={columns} load={() => loadAll(runId, total)} />
          </p>
        </div>
      )}
    </Loaded>
  )
}

function filesQuery(runId: string, offset: number) {
  const page = trpc.testRuns.coverage.queryOptions({ runId, limit: pageSize, offset })
  return {
    queryKey: [...page.queryKey, 'files'],
    queryFn: async (): Promise<readonly FileRow[]> => (await queryClient.fetchQuery(page)).files,
  }
}

async function loadAll(runId: string, total: number): Promise<FileRow[]> {
  const files: FileRow[] = []
  for (let offset = 0; offset < total; offset += pageSize) {
    const page = await client.testRuns.coverage.query({ runId, limit: pageSize, offset })
    files.push(...page.files)
  }
  return files
}

const columnsFor = (projectId: string, runId: string): readonly Column<FileRow>[] => [
  {
    id: 'path',
    title: 'File',
    cell: ({ path }) => (
      <Link to="/projects/$projectId/code" params={{ projectId }} search={{ path, run: runId }} preload={false}>
        <ShortText text={path} />
      </Link>
    ),
    value: ({ path }) => path,
  },
  {
    id: 'uncovered',
    title: 'Uncovered',
    align: 'right',
    cell: (row) => <Count of={uncoveredOf(row)} />,
    value: uncoveredOf,
  },
  {
    id: 'lines',
    title: 'Lines',
    cell: ({ lines }) => <Percent of={percentOf(lines)} />,
    value: ({ lines }) => percentOf(lines),
  },
  {
    id: 'branches',
    title: 'Branches',
    align: 'right',
    cell: ({ branches }) => <ShareText of={branches} />,
    value: ({ branches }) => percentOf(branches),
  },
  {
    id: 'strength',
    title: 'Changes noticed',
    align: 'right',
    cell: ({ strength }) => <ShareText of={strength && { covered: strength.noticed, total: strength.tried }} />,
    value: ({ strength }) => strength?.percent,
  },
  {
    id: 'ranges',
    title: 'Where',
    cell: ({ uncoveredLines }) => <span title={uncoveredLines.slice(0, 500)}>{uncoveredLines.slice(0, 120)}</span>,
    value: ({ uncoveredLines }) => uncoveredLines,
  },
]
