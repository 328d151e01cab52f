import { useQuery } from '@tanstack/react-query'
import { trpc } from '../../api.ts'
import { isWhole, recentRuns, type Run, wholeRuns } from './query.ts'

/** Finds the run whose coverage is shown: the chosen one, or else the latest whole run of the default branch. */
export function useRuns(projectId: string, chosenId: string | undefined) {
  const project = useQuery(trpc.projects.getProject.queryOptions({ projectId }, { staleTime: 30_000 }))
  const defaultBranch = project.data?.branch
  const recent = useQuery(trpc.testRuns.list.queryOptions(recentRuns(projectId)))
  const ofDefault = useQuery(
    trpc.testRuns.list.queryOptions(wholeRuns(projectId, defaultBranch ?? ''), {
      enabled: defaultBranch !== undefined,
    }),
  )
  const runs = recent.data?.runs ?? []
  const main = ofDefault.data?.runs ?? []
  const known = [...main, ...runs]
  const named = useQuery(
    trpc.testRuns.get.queryOptions(
      { runId: chosenId ?? '' },
      { enabled: chosenId !== undefined && recent.data !== undefined && !known.some(({ id }) => id === chosenId) },
    ),
  )
  const isSettled = project.error !== null || ofDefault.data !== undefined || ofDefault.error !== null
  const latest = main[0] ?? (isSettled ? (runs.find(isWhole) ?? runs[0]) : undefined)
  const run = chosenId === undefined ? latest : (known.find(({ id }) => id === chosenId) ?? named.data)
  return { recent, runs, run, isSettled, branch: defaultBranch ?? '', history: run ? historyOf(run, main, runs) : [] }
}

/** The whole runs of the branch of a run. */
function historyOf({ branch }: Run, main: readonly Run[], runs: readonly Run[]): readonly Run[] {
  return main[0]?.branch === branch ? main : runs.filter((each) => isWhole(each) && each.branch === branch)
}
