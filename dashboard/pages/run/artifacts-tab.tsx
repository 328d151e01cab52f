import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { client, type Outputs, trpc } from '../../api.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { formatBytes } from '../../parts/number-text.ts'
import { Empty } from '../../parts/page.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { isActive } from '../runs/words.ts'
import type { RunDetail } from './run.ts'

type StoredFile = Outputs['files']['list'][number]

const pageSize = 100

/** The files of a run: reports, coverage, and what the tests wrote. */
export function ArtifactsTab({ projectId, run }: { projectId: string; run: RunDetail }) {
  const files = useInfiniteQuery({
    queryKey: [...trpc.files.list.queryKey({ projectId, runId: run.id }), 'all'],
    queryFn: ({ pageParam, signal }) =>
      client.files.list.query({ projectId, runId: run.id, limit: pageSize, offset: pageParam }, { signal }),
    initialPageParam: 0,
    getNextPageParam: (page, pages) => (page.length < pageSize ? undefined : pages.length * pageSize),
  })
  return (
    <Loaded query={files}>
      {({ pages }) =>
        pages[0]?.length === 0 ? (
          <Empty title="This run has no files">
            <p>
              {isActive(run)
                ? 'Reports and artifacts are stored at the end of the run.'
                : 'Reports, coverage and artifacts of runs and uploads are kept here.'}
            </p>
          </Empty>
        ) : (
          <>
            <Table label="Artifacts" columns={columns} rows={pages.flat()} rowKey={({ id }) => id} />
            {files.hasNextPage ? (
              <button
                type="button"
                className="plain"
                disabled={files.isFetchingNextPage}
                onClick={() => void files.fetchNextPage()}
              >
                More files
              </button>
            ) : undefined}
          </>
        )
      }
    </Loaded>
  )
}

const columns: readonly Column<StoredFile>[] = [
  {
    id: 'name',
    title: 'File',
    cell: ({ name, path }) => (
      <a href={path} download>
        <ShortText text={name} limit={200} />
      </a>
    ),
    value: ({ name }) => name,
  },
  {
    id: 'view',
    title: 'Report',
    cell: (file) => (/\.html?$/i.test(file.name) ? <ViewReport file={file} /> : undefined),
  },
  {
    id: 'size',
    title: 'Size',
    align: 'right',
    cell: ({ size }) => <span className="number">{formatBytes(size)}</span>,
    value: ({ size }) => size,
  },
  { id: 'type', title: 'Type', minor: true, cell: ({ contentType }) => <ShortText text={contentType} limit={60} /> },
  {
    id: 'sha256',
    title: 'SHA-256',
    minor: true,
    cell: ({ sha256 }) => (
      <code className="sha" title={sha256}>
        {sha256.slice(0, 12)}
      </code>
    ),
    value: ({ sha256 }) => sha256,
  },
  {
    id: 'at',
    title: 'Stored',
    align: 'right',
    cell: ({ createdAt }) => <Time at={createdAt} />,
    value: (file) => file.createdAt,
  },
]

/** Opens an HTML report with its pictures and scripts, which run isolated from Assay. */
function ViewReport({ file: { projectId, runId, name } }: { file: StoredFile }) {
  const link = useMutation(
    trpc.files.createViewLink.mutationOptions({
      onSuccess: ({ url }) => void window.open(url, '_blank', 'noopener'),
    }),
  )
  return (
    <span className="row">
      <button
        type="button"
        className="plain export"
        disabled={link.isPending}
        onClick={() => link.mutate({ projectId, runId, name })}
      >
        View<span className="visually-hidden"> {name.slice(0, 100)}</span>
      </button>
      {link.data ? (
        <a href={link.data.url} target="_blank" rel="noopener noreferrer">
          open
        </a>
      ) : undefined}
    </span>
  )
}
