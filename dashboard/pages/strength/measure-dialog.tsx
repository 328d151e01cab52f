import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { trpc } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'

/** Asks what to measure, and starts the measurement. */
export function MeasureDialog({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const navigate = useNavigate()
  const [branch, setBranch] = useState('')
  const [paths, setPaths] = useState('')
  const [since, setSince] = useState('')
  const [budgetSeconds, setBudget] = useState(120)
  const measure = useMutation(
    trpc.strength.measure.mutationOptions({
      onSuccess: ({ id: measurementId }) => {
        void navigate({ to: '/projects/$projectId/strength/$measurementId', params: { projectId, measurementId } })
      },
    }),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const given = paths
      .split('\n')
      .map((path) => path.trim())
      .filter((path) => path !== '')
    measure.mutate({
      projectId,
      budgetSeconds,
      ...(given.length === 0 ? {} : { paths: given }),
      ...(branch.trim() === '' ? {} : { branch }),
      ...(since.trim() === '' ? {} : { since }),
    })
  }
  return (
    <Dialog title="Measure the tests" onClose={onClose}>
      <form onSubmit={submit}>
        <label>
          Branch <span className="hint">by default the branch of the project</span>
          <input value={branch} maxLength={255} onChange={(event) => setBranch(event.target.value)} />
        </label>
        <label>
          Files, folders or globs <span className="hint">one per line; by default all code</span>
          <textarea
            rows={3}
            value={paths}
            placeholder="src/pricing"
            onChange={(event) => setPaths(event.target.value)}
          />
        </label>
        <label>
          Only files changed since <span className="hint">a branch, tag or commit</span>
          <input value={since} maxLength={255} onChange={(event) => setSince(event.target.value)} />
        </label>
        <label>
          Time for trying changes, in seconds{' '}
          <span className="hint">more time tries more of them and makes the result more exact</span>
          <input
            type="number"
            min={10}
            max={3_600}
            required
            value={budgetSeconds}
            onChange={(event) => setBudget(event.target.valueAsNumber)}
          />
        </label>
        <div className="row">
          <button type="submit" disabled={measure.isPending}>
            Start
          </button>
          <button type="button" className="plain" onClick={onClose}>
            Close
          </button>
        </div>
      </form>
    </Dialog>
  )
}
