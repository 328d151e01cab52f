import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { Snippet } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Prose } from '../../parts/prose.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { ciNames } from './ci-names.ts'
import { ciSteps, variablesOf } from './ci-steps.ts'

const route = getRouteApi('/projects/$projectId/runs')

export function UploadDialog({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  return (
    <Dialog title="Upload results from CI" onClose={onClose} wide>
      <UploadSteps projectId={projectId} />
    </Dialog>
  )
}

/** The step that uploads results, for the project's CI system, with a fresh token if the user wants one. */
export function UploadSteps({ projectId }: { projectId: string }) {
  const { ci = 'github' } = route.useSearch()
  const create = useMutation(trpc.tokens.create.mutationOptions({ gcTime: 0 }))
  const { where, step, note } = ciSteps[ci]
  const token = create.data?.token
  const values = { url: location.origin, projectId, token: token ?? '…' }
  return (
    <div className="stack upload-steps">
      <p>The CI job runs the tests as before, then sends the reports. The upload becomes a run of this project.</p>
      <Tabs label="CI system">
        {ciNames.map((name) => (
          <Link
            key={name}
            from="/projects/$projectId/runs"
            to="."
            search={(old) => ({ ...old, ci: name })}
            replace
            resetScroll={false}
            preload={false}
            className={name === ci ? 'tab active' : 'tab'}
            aria-current={name === ci ? 'true' : undefined}
          >
            {ciSteps[name].title}
          </Link>
        ))}
      </Tabs>
      <p>
        1. <Prose text={where} />
      </p>
      <Snippet label="Variables" text={variablesOf(ci, values)} />
      <div aria-live="polite">
        {token === undefined ? (
          <div className="row">
            <button
              type="button"
              className="plain"
              disabled={create.isPending}
              onClick={() => create.mutate({ name: 'CI upload', scopes: ['tests:run'], projectId, expiresInDays: 365 })}
            >
              Create a token for uploads
            </button>
            <span className="hint">It can only upload and run tests of this project, for a year.</span>
          </div>
        ) : (
          <p className="hint">
            The token is shown this once: copy it now. <Link to="/settings/tokens">Tokens</Link> lists and revokes it.
          </p>
        )}
      </div>
      <p>2. Add the step to the job that runs the tests:</p>
      <Snippet label="Step of the job" text={step} />
      {note === undefined ? undefined : (
        <p className="hint">
          <Prose text={note} />
        </p>
      )}
    </div>
  )
}
