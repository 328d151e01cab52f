import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { FirstAnswer } from '../../../engines/analysis/schema.ts'
import { queryClient, trpc } from '../../api.ts'
import { formatCount } from '../../parts/number-text.ts'

const phases = { fetching: 'Fetching', reading: 'Reading', parsing: 'Parsing', ranking: 'Ranking' } as const

/** Starts an analysis of the project's branch, and shows its progress. */
export function AnalyzeButton({ projectId }: { projectId: string }) {
  const options = trpc.projects.getProjectAnalyses.queryOptions({ projectId, snapshotId: null, limit: 1 })
  const latest = useQuery({
    ...options,
    refetchInterval: ({ state }) => (isActive(state.data?.[0]?.status) ? 1_000 : false),
  })
  const start = useMutation(
    trpc.analysis.startAnalysis.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: options.queryKey }),
    }),
  )
  const analysis = latest.data?.[0]
  const isRunning = isActive(analysis?.status)
  useEffect(() => {
    if (!isRunning) void queryClient.invalidateQueries(trpc.analysis.listCandidates.pathFilter())
  }, [isRunning])
  const { phase, filesDone, filesTotal, firstAnswer } = analysis?.progress ?? {}
  return (
    <>
      <span role="status" aria-live="polite" className="quiet">
        {isRunning
          ? phase
            ? `${phases[phase]}, ${formatCount(filesDone ?? 0)} of ${formatCount(filesTotal ?? 0)} files${firstAnswer ? `. ${contentsOf(firstAnswer)}` : ''}`
            : 'Waiting for a free worker'
          : analysis?.status === 'failed'
            ? `The latest analysis failed: ${analysis.error?.message ?? ''}`
            : undefined}
      </span>
      <button
        type="button"
        className="plain"
        disabled={isRunning || start.isPending}
        onClick={() => start.mutate({ projectId })}
      >
        {isRunning ? 'Analyzing' : analysis ? 'Analyze again' : 'Analyze'}
      </button>
    </>
  )
}

const contentsOf = ({ languages, frameworks, testFrameworks }: FirstAnswer) =>
  [...Object.keys(languages).slice(0, 3), ...frameworks.slice(0, 3), ...testFrameworks.slice(0, 2)].join(', ')

const isActive = (status: string | undefined) => status === 'pending' || status === 'running'
