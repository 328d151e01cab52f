import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { trpc } from '../../api.ts'
import { Snippet } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Prose } from '../../parts/prose.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { ciNames } from './ci-names.ts'
import { ciSteps, variablesOf } from './ci-steps.ts'
import { ciTests, type TestsName, testsNames } from './ci-tests.ts'
import { useCi } from './use-ci.ts'

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
  const known = useCi(projectId)
  const { ci = known.ci ?? 'shell' } = route.useSearch()
  const [chosen, setChosen] = useState<TestsName>()
  const tests = chosen ?? known.tests ?? 'other'
  const create = useMutation(trpc.tokens.create.mutationOptions({ gcTime: 0 }))
  const testsId = useId()
  const { where, step, note } = ciSteps[ci]
  const token = create.data?.token
  const values = { url: location.origin, projectId, token: token ?? '…' }
  return (
    <div className="stack upload-steps">
      <p>
        The CI job runs the tests as before, then sends the reports. The upload becomes a run of this project.{' '}
        {known.isRead && known.ci === undefined
          ? 'The repository names no CI system that Assay knows: choose yours.'
          : ''}
      </p>
      <div className="row">
        <label htmlFor={testsId}>Test framework</label>
        <select
          id={testsId}
          value={tests}
          onChange={(event) => setChosen(testsNames.find((name) => name === event.target.value))}
        >
          {testsNames.map((name) => (
            <option key={name} value={name}>
              {ciTests[name].title}
            </option>
          ))}
        </select>
      </div>
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
      {isLoopback(location.hostname) ? (
        <p className="tone-warn">
          Only this machine can reach <bdi>{location.origin}</bdi>. A hosted CI cannot upload to it: give it an address
          of this server that it can reach.
        </p>
      ) : undefined}
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
      <p>2. Let the job that runs the tests write and send reports:</p>
      <Snippet label="Step of the job" text={step(ciTests[tests])} />
      <p className="hint">
        <Prose text="If the job measures coverage, add its file: `-F coverage=@coverage/lcov.info`." />
      </p>
      {note === undefined ? undefined : (
        <p className="hint">
          <Prose text={note} />
        </p>
      )}
    </div>
  )
}

const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || /^127\.[\d.]+$/.test(host)
