import { useQueries, useQuery } from '@tanstack/react-query'
import { trpc } from '../../../api.ts'
import { isActive } from '../../runs/words.ts'
import type { LiveLog } from '../follow-run.ts'
import type { RunDetail } from '../run.ts'

const pageLines = 500

/** The number of lines of the log. Undefined until it is known. */
export function useLogLength(run: RunDetail, live: LiveLog | undefined) {
  const end = useQuery(trpc.testRuns.log.queryOptions({ runId: run.id, offset: -1, limit: 1 }))
  const total = live || end.data ? Math.max(live?.end ?? 0, end.data?.totalLines ?? 0) : undefined
  return { total, query: end }
}

/** Returns the text of the lines from `first` to `last`: from the events, or from the pages that these lines need. */
export function useLogLines(run: RunDetail, live: LiveLog | undefined, first: number, last: number) {
  const pages: number[] = []
  for (let page = Math.floor(first / pageLines); page * pageLines <= last; page++) {
    const isLive = live !== undefined && page * pageLines >= live.first
    if (!isLive) pages.push(page)
  }
  const queries = useQueries({
    queries: pages.map((page) =>
      trpc.testRuns.log.queryOptions(
        { runId: run.id, offset: page * pageLines, limit: pageLines },
        { staleTime: isActive(run) ? 5_000 : Infinity },
      ),
    ),
  })
  const failed = queries.find(({ error }) => error)
  const lineAt = (index: number): string | undefined => {
    if (live && index >= live.first && index < live.end) return live.lines[index - live.first]
    return queries[pages.indexOf(Math.floor(index / pageLines))]?.data?.lines[index % pageLines]
  }
  return { lineAt, failed }
}
