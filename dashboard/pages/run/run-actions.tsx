import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { isAtLeast, useProjectRole } from '../../parts/roles.ts'
import { announce } from '../../shell/notices.ts'
import { isActive } from '../runs/words.ts'
import type { RunDetail } from './run.ts'

/** Runs the failed tests again, or cancels the run. */
export function RunActions({ run }: { run: RunDetail }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const mayRun = isAtLeast(useProjectRole(run.projectId), 'member')
  const cancel = useMutation(
    trpc.testRuns.cancel.mutationOptions({
      onSuccess: () => {
        announce('The run was cancelled.')
        return queryClient.invalidateQueries({ queryKey: trpc.testRuns.pathKey() })
      },
    }),
  )
  const rerun = useMutation(
    trpc.testRuns.rerunFailed.mutationOptions({
      onSuccess: (started) => {
        void queryClient.invalidateQueries({ queryKey: trpc.testRuns.list.queryKey() })
        announce('The failed tests run again.')
        void navigate({
          to: '/projects/$projectId/runs/$runId',
          params: { projectId: run.projectId, runId: started.id },
        })
      },
    }),
  )
  if (!mayRun) return undefined
  if (isActive(run)) {
    return (
      <button
        type="button"
        className="plain"
        disabled={cancel.isPending}
        onClick={() => cancel.mutate({ runId: run.id })}
      >
        {cancel.isPending ? 'Cancelling…' : 'Cancel the run'}
      </button>
    )
  }
  if (run.reportedStatus !== 'FAILED') return undefined
  return (
    <button type="button" disabled={rerun.isPending} onClick={() => rerun.mutate({ runId: run.id })}>
      {rerun.isPending ? 'Starting…' : 'Rerun failed tests'}
    </button>
  )
}
