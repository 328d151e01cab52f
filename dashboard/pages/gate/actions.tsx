import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { queryClient, trpc } from '../../api.ts'
import { stateTexts } from '../../parts/gate.tsx'
import { hasEnded, VerdictStatus } from '../../parts/judged.tsx'
import { isAtLeast, useProjectRole } from '../../parts/roles.ts'
import { Status } from '../../parts/status.tsx'
import { announce } from '../../shell/notices.ts'
import { isActive } from '../runs/words.ts'
import type { Gate } from './types.ts'

const followInterval = 2_000

/** The gate may be decided anew, because something that it judges has begun or ended. */
const refresh = (gateId: string) => queryClient.invalidateQueries({ queryKey: trpc.gate.get.queryKey({ gateId }) })

/** What members can do about a gate: have it decided again, and run the tests of its commit. */
export function GateActions({ gate }: { gate: Gate }) {
  const mayAct = isAtLeast(useProjectRole(gate.projectId), 'member')
  if (!mayAct || (gate.headSha === null && gate.snapshotId === null)) return undefined
  return (
    <div className="row gate-actions">
      <CheckAgain gate={gate} />
      <RunTests gate={gate} />
    </div>
  )
}

/** The commit or snapshot of a gate, as calls name it. */
function subjectOf({ headSha, snapshotId }: Gate): { snapshotId: string } | { commitSha: string } | undefined {
  if (snapshotId !== null) return { snapshotId }
  return headSha === null ? undefined : { commitSha: headSha }
}

function CheckAgain({ gate }: { gate: Gate }) {
  const { projectId, base } = gate
  const check = useMutation(
    trpc.gate.check.mutationOptions({
      onSuccess: (checked) => {
        queryClient.setQueryData(trpc.gate.get.queryKey({ gateId: checked.id }), checked)
        if (!checked.isOutdated) announce(`The gate was checked again: ${stateTexts[checked.state]}.`)
      },
    }),
  )
  const subject = subjectOf(gate)
  if (!subject) return undefined
  const head = 'snapshotId' in subject ? subject : { head: subject.commitSha }
  return (
    <button
      type="button"
      className="plain"
      disabled={check.isPending}
      onClick={() => check.mutate({ projectId, base, ...head })}
    >
      {check.isPending ? 'Checking…' : 'Check again'}
    </button>
  )
}

function RunTests({ gate }: { gate: Gate }) {
  const { id: gateId, projectId, branch, pullRequest } = gate
  const trigger = useMutation(trpc.testRuns.trigger.mutationOptions({ onSuccess: () => refresh(gateId) }))
  const run = useQuery(
    trpc.testRuns.get.queryOptions(
      { runId: trigger.data?.id ?? '' },
      {
        enabled: trigger.data !== undefined,
        refetchInterval: ({ state: { data } }) => (data && !isActive(data) ? false : followInterval),
      },
    ),
  )
  const started = run.data ?? trigger.data
  const isRunning = trigger.isPending || (started !== undefined && isActive(started))
  const status = started?.status
  useEffect(() => {
    if (status !== undefined) void refresh(gateId)
  }, [gateId, status])
  const subject = subjectOf(gate)
  if (!subject) return undefined
  // The branch of a pull request may be that of a fork.
  const place = 'commitSha' in subject && branch !== null && pullRequest === null ? { ...subject, branch } : subject
  return (
    <>
      <button
        type="button"
        className="plain"
        disabled={isRunning}
        onClick={() => trigger.mutate({ projectId, ...place })}
      >
        {trigger.isPending ? 'Starting…' : 'Run the tests'}
      </button>
      <span role="status">
        {started ? (
          <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: started.id }} preload={false}>
            Run: <Status of={started.reportedStatus} />
          </Link>
        ) : undefined}
      </span>
    </>
  )
}

/** The verification of a gate's change that the user has started, and how to start it. */
export interface StartedProof {
  /** Undefined for users who may not start one. */
  start: (() => void) | undefined
  isStarting: boolean
  changeId: string | undefined
}

export function useStartedProof(gate: Gate): StartedProof {
  const { id: gateId, projectId, base, baseSha, figures } = gate
  const mayStart = isAtLeast(useProjectRole(projectId), 'member')
  const verify = useMutation(trpc.changes.verify.mutationOptions({ onSuccess: () => refresh(gateId) }))
  const subject = subjectOf(gate)
  const start = () => {
    if (!subject) return
    const head = 'snapshotId' in subject ? subject : { head: subject.commitSha }
    // What decided so far does not have what the rule waits for.
    verify.mutate({ projectId, base: baseSha ?? base, ...head, again: Boolean(figures?.proof) })
  }
  return { start: mayStart && subject ? start : undefined, isStarting: verify.isPending, changeId: verify.data?.id }
}

interface ProofLinkProps {
  gate: Gate
  changeId: string
}

/** A link to a verification, with its verdict or how far it is. */
export function ProofLink({ gate, changeId }: ProofLinkProps) {
  const { id: gateId, projectId, figures } = gate
  const change = useQuery(
    trpc.changes.get.queryOptions(
      { changeId },
      { refetchInterval: ({ state: { data } }) => (data && hasEnded(data) ? false : followInterval), retry: false },
    ),
  )
  const isUnknown = change.data?.status === 'completed' && figures?.proof?.changeId !== changeId
  useEffect(() => {
    if (isUnknown) void refresh(gateId)
  }, [gateId, isUnknown])
  return (
    <Link to="/projects/$projectId/changes/$changeId" params={{ projectId, changeId }} preload={false}>
      Verification{change.data ? ': ' : ''}
      {change.data ? <VerdictStatus of={change.data} /> : undefined}
    </Link>
  )
}
