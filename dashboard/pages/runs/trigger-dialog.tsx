import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { messageOf, trpc } from '../../api.ts'
import { Commit } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { PlanView } from './plan-view.tsx'
import type { Run } from './words.ts'

type TestType = Run['type']

interface TriggerProps {
  projectId: string
  initial: { target: string; type?: TestType; paths?: readonly string[] | undefined }
  onClose: () => void
}

const types: readonly (readonly [TestType, string])[] = [
  ['ALL', 'All tests'],
  ['UNIT', 'Unit tests'],
  ['INTEGRATION', 'Integration tests'],
  ['E2E', 'End-to-end tests'],
]

/** Starts a run of a branch or commit, after a look at its commands. */
export function TriggerDialog({ projectId, initial, onClose }: TriggerProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [target, setTarget] = useState(initial.target)
  const [type, setType] = useState<TestType>(initial.type ?? 'ALL')
  const [paths, setPaths] = useState(initial.paths?.join('\n') ?? '')
  const plan = useMutation(trpc.testRuns.plan.mutationOptions())
  const trigger = useMutation(
    trpc.testRuns.trigger.mutationOptions({
      onSuccess: (run) => {
        void queryClient.invalidateQueries({ queryKey: trpc.testRuns.list.queryKey() })
        void navigate({ to: '/projects/$projectId/runs/$runId', params: { projectId, runId: run.id } })
      },
    }),
  )
  const request = () => ({ projectId, ...stateOf(target), type, paths: linesOf(paths) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    trigger.mutate(request())
  }
  const change =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      set(value)
      // The preview belongs to what was entered before.
      plan.reset()
    }
  const changeTarget = change(setTarget)
  const changeType = change(setType)
  const changePaths = change(setPaths)
  return (
    <Dialog title="Run tests" onClose={onClose} wide>
      <form onSubmit={submit}>
        <div className="trigger-fields">
          <label>
            Branch or commit
            <input
              value={target}
              maxLength={255}
              autoFocus
              required
              spellCheck={false}
              onChange={(event) => changeTarget(event.target.value)}
            />
            <span className="hint">A full commit id tests that commit.</span>
          </label>
          <label>
            Kind of tests
            <select
              value={type}
              onChange={(event) => changeType(types.find(([each]) => each === event.target.value)?.[0] ?? 'ALL')}
            >
              {types.map(([each, text]) => (
                <option key={each} value={each}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        </div>
        <label>
          Files and folders
          <textarea
            rows={2}
            value={paths}
            placeholder="src/checkout"
            spellCheck={false}
            onChange={(event) => changePaths(event.target.value)}
          />
          <span className="hint">One per line. Empty for all.</span>
        </label>
        <div className="row">
          <button type="submit" disabled={trigger.isPending || target.trim() === ''}>
            {trigger.isPending ? 'Starting…' : 'Start the run'}
          </button>
          <button
            type="button"
            className="plain"
            disabled={plan.isPending || target.trim() === ''}
            onClick={() => plan.mutate(request())}
          >
            {plan.isPending ? 'Reading the repository…' : 'Show its commands'}
          </button>
        </div>
      </form>
      <div aria-live="polite" className="stack">
        {trigger.error ? <p className="tone-bad">{messageOf(trigger.error)}</p> : undefined}
        {plan.error ? <p className="tone-bad">{messageOf(plan.error)}</p> : undefined}
        {plan.data ? (
          <>
            <p>
              These commands would test <Commit sha={plan.data.commitSha} />:
            </p>
            <PlanView parts={plan.data.parts} />
          </>
        ) : undefined}
      </div>
    </Dialog>
  )
}

function stateOf(target: string): { branch: string } | { commitSha: string } {
  const text = target.trim()
  return /^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/.test(text) ? { commitSha: text } : { branch: text }
}

function linesOf(text: string): string[] | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.length > 0 ? lines : undefined
}
