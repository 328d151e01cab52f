import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { trpc } from '../../api.ts'
import { isAtLeast, useProjectRole } from '../../parts/roles.ts'
import { announce } from '../../shell/notices.ts'
import { TriggerDialog } from '../runs/trigger-dialog.tsx'
import { isActive } from '../runs/words.ts'
import { howAgain } from './how-again.ts'
import type { RunDetail } from './run.ts'

/** Runs the same or the failed tests again, or cancels the run. */
export function RunActions({ run }: { run: RunDetail }) {
  const mayRun = isAtLeast(useProjectRole(run.projectId), 'member')
  if (!mayRun) return undefined
  return isActive(run) ? <CancelButton run={run} /> : <AgainButtons run={run} />
}

function CancelButton({ run }: { run: RunDetail }) {
  const queryClient = useQueryClient()
  const cancel = useMutation(
    trpc.testRuns.cancel.mutationOptions({
      onSuccess: ({ status }) => {
        announce(status === 'CANCELLED' ? 'The run was cancelled.' : 'The run had already ended.')
        return queryClient.invalidateQueries({ queryKey: trpc.testRuns.pathKey() })
      },
    }),
  )
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

function AgainButtons({ run }: { run: RunDetail }) {
  const { projectId } = run
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const show = (notice: string) => (started: { id: string }) => {
    void queryClient.invalidateQueries({ queryKey: trpc.testRuns.list.queryKey() })
    announce(notice)
    void navigate({ to: '/projects/$projectId/runs/$runId', params: { projectId, runId: started.id } })
  }
  const rerun = useMutation(
    trpc.testRuns.rerunFailed.mutationOptions({ onSuccess: show('The failed tests run again.') }),
  )
  const trigger = useMutation(trpc.testRuns.trigger.mutationOptions({ onSuccess: show('The tests run again.') }))
  const isPending = rerun.isPending || trigger.isPending
  const again = howAgain(run)
  const runAgain = () => {
    if (again?.kind === 'trigger') trigger.mutate(again.input)
    else if (again?.kind === 'rerun') rerun.mutate(again.input)
    else setAsking(true)
  }
  const hasFailures = run.reportedStatus === 'FAILED'
  return (
    <>
      {again ? (
        <button type="button" className={hasFailures ? 'plain' : undefined} disabled={isPending} onClick={runAgain}>
          {isPending && !hasFailures ? 'Starting…' : 'Run again'}
        </button>
      ) : undefined}
      {hasFailures ? (
        <button type="button" disabled={isPending} onClick={() => rerun.mutate({ runId: run.id })}>
          {isPending ? 'Starting…' : 'Rerun failed tests'}
        </button>
      ) : undefined}
      {isAsking ? (
        <TriggerDialog
          projectId={projectId}
          initial={{ target: run.branch ?? run.commitSha ?? '', type: run.type, paths: run.selection?.paths }}
          onClose={() => setAsking(false)}
        />
      ) : undefined}
    </>
  )
}
