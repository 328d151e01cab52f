import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { trpc } from '../../api.ts'
import { CodeLink } from '../../parts/code-link.tsx'
import { VariantTag } from '../../parts/health.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { LongText, ShortText } from '../../parts/long-text.tsx'
import { Status } from '../../parts/status.tsx'
import { Duration } from '../../parts/time.tsx'
import type { Result, RunDetail } from './run.ts'

const route = getRouteApi('/projects/$projectId/runs/$runId')

/** Everything about the result of one test. Escape closes it. */
export function ResultPanel({ projectId, run, testId }: { projectId: string; run: RunDetail; testId: string }) {
  const navigate = route.useNavigate()
  const heading = useRef<HTMLHeadingElement>(null)
  const results = useQuery(trpc.testRuns.results.queryOptions({ runId: run.id, testId, limit: 20 }))
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  const close = () =>
    void navigate({ search: (old) => ({ ...old, test: undefined }), replace: true, resetScroll: false })
  const [first] = results.data?.results ?? []
  return (
    <aside
      className="panel card"
      aria-label="Result"
      onKeyDown={(event) => {
        if (event.key === 'Escape') close()
      }}
    >
      <div className="panel-head">
        <h2 ref={heading} tabIndex={-1}>
          {first ? <ShortText text={first.name} limit={300} /> : 'Result'}
        </h2>
        <button type="button" className="plain icon-button" onClick={close}>
          <Icon name="close" />
          <span className="visually-hidden">Close the result</span>
        </button>
      </div>
      <Loaded query={results}>
        {({ results }) =>
          results.length === 0 ? (
            <p>This run has no result of this test.</p>
          ) : (
            <>
              {results.map((result, at) => (
                <ResultView key={at} projectId={projectId} run={run} result={result} />
              ))}
              <Link to="/projects/$projectId/tests/$testId" params={{ projectId, testId }}>
                History of this test
              </Link>
            </>
          )
        }
      </Loaded>
    </aside>
  )
}

function ResultView({ projectId, run, result }: { projectId: string; run: RunDetail; result: Result }) {
  const { suite, file, line, status, flaky, muted, variant, durationMs, message, stack, attempts } = result
  return (
    <div className="stack">
      <p className="row">
        <Status of={muted ? 'muted' : status} />
        <VariantTag of={variant} />
        {flaky ? <Status of="flaky" text="Flaky: passed after a failed attempt" /> : undefined}
        <Duration ms={durationMs} />
      </p>
      {muted ? <p className="quiet">The test was in quarantine, so this failure did not decide.</p> : undefined}
      {suite === '' ? undefined : (
        <p className="quiet">
          <ShortText text={suite} limit={300} />
        </p>
      )}
      {file === null ? undefined : (
        <p>
          <CodeLink
            projectId={projectId}
            path={file}
            line={line}
            run={run.id}
            commitSha={run.commitSha}
            snapshotId={run.snapshotId}
          />
        </p>
      )}
      {message === null ? undefined : <LongText text={message} label="Message" />}
      {stack === null ? undefined : (
        <>
          <h3>Stack</h3>
          <LongText text={stack} label="Stack" />
        </>
      )}
      {attempts.length > 0 ? (
        <>
          <h3>Earlier attempts</h3>
          <ol className="attempts">
            {attempts.map((attempt, at) => (
              <li key={at}>
                <Status of={attempt.status} /> <Duration ms={attempt.durationMs} />
                {attempt.message === null ? undefined : (
                  <LongText text={attempt.message} label={`Message of attempt ${at + 1}`} limit={1_000} />
                )}
              </li>
            ))}
          </ol>
        </>
      ) : undefined}
    </div>
  )
}
