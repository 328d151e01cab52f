import { client, type Inputs, type Outputs, trpc } from '../../api.ts'

export const sorts = ['uncovered', 'share', 'name'] as const
export type Sort = (typeof sorts)[number]

export interface CoverageSearch {
  run?: string | undefined
  folder?: string | undefined
  /** The list of all files instead of a folder. */
  view?: 'files' | undefined
  sort?: Sort | undefined
}

export type Run = Outputs['testRuns']['list']['runs'][number]
export type Folder = Outputs['testRuns']['coverageByFolder']
export type Entry = Folder['entries'][number]
export type Figures = Pick<Entry, 'lines' | 'branches' | 'functions' | 'strength' | 'files'>
export type FileRow = Outputs['testRuns']['coverage']['files'][number]

/** The runs that can be chosen. */
export const recentRuns = (projectId: string): Inputs['testRuns']['list'] => ({
  projectId,
  snapshotId: null,
  measured: true,
  limit: 100,
})

/** The runs that say how much of a branch is covered. The latest one is shown if no other is chosen. */
export const wholeRuns = (projectId: string, branch: string): Inputs['testRuns']['list'] => ({
  projectId,
  branch,
  whole: true,
  measured: true,
  limit: 100,
})

export const isWhole = ({ selection, snapshotId }: Run) => selection === null && snapshotId === null

const pageSize = 100
const maxPages = 5

/** Loads a folder with up to 500 of its entries. */
export function folderQuery(runId: string, folder: string) {
  return {
    queryKey: [...trpc.testRuns.coverageByFolder.queryKey({ runId, folder }), 'all'],
    staleTime: 60_000,
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Folder> => {
      const load = (page: number) =>
        client.testRuns.coverageByFolder.query({ runId, folder, limit: pageSize, offset: page * pageSize }, { signal })
      const first = await load(0)
      const pages = Math.min(maxPages, Math.ceil(first.pagination.total / pageSize))
      const others = await Promise.all(Array.from({ length: Math.max(0, pages - 1) }, (_, index) => load(index + 1)))
      return { ...first, entries: [first, ...others].flatMap(({ entries }) => entries) }
    },
  }
}

export const uncoveredOf = ({ lines }: Pick<Entry, 'lines'>) => lines.total - lines.covered

/** Percent of the total; null if there is nothing to cover. */
export const percentOf = (share: { covered: number; total: number } | null) =>
  share === null || share.total === 0 ? null : (100 * share.covered) / share.total

export function sorted(entries: readonly Entry[], by: Sort): readonly Entry[] {
  if (by === 'name') return entries
  const weight =
    by === 'uncovered' ? (entry: Entry) => -uncoveredOf(entry) : (entry: Entry) => percentOf(entry.lines) ?? 101
  return entries.toSorted((a, b) => weight(a) - weight(b))
}
