import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { statusOf, trpc } from '../../api.ts'
import { CodeLink } from '../../parts/code-link.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import '../../styles/form.css'
import '../../styles/test.css'
import { ConfirmButton } from './confirm-dialog.tsx'
import { HealthParts } from './health-parts.tsx'
import type { History } from './history.ts'
import { historyInput, testInput } from './input.ts'
import { RequestButton } from './request-dialog.tsx'
import { Results, ResultsOnly } from './results.tsx'

const route = getRouteApi('/projects/$projectId/tests/$testId')

/** Whether a test is flaky or broken, why, and since which commit. */
export function TestPage() {
  const params = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { projectId, testId } = params
  const test = useQuery(
    trpc.tests.get.queryOptions(testInput(params, search), {
      // Of another variant of the same test.
      placeholderData: (before) => (before?.testId === testId ? before : undefined),
    }),
  )
  const history = useQuery(
    trpc.testRuns.history.queryOptions(historyInput(params, search), {
      placeholderData: (before) => (before?.kind === 'history' && before.test.testId === testId ? before : undefined),
    }),
  )
  const { data } = test
  const past = history.data?.kind === 'history' ? history.data : undefined
  const known = data ?? past?.test
  const newId = data && data.testId !== testId ? data.testId : undefined
  useEffect(() => {
    // The test was merged into the one with its new name.
    if (newId !== undefined) void navigate({ params: { projectId, testId: newId }, search: {}, replace: true })
  }, [newId, navigate, projectId])
  const isMissing = data === undefined && statusOf(test.error) === 404
  // A test without a result that counts, as in a run of a fork, has no health.
  const isUnjudged = isMissing && search.variant === undefined
  return (
    <Page
      title={known === undefined ? 'Test' : <ShortText text={known.name} limit={300} />}
      documentTitle={known === undefined ? 'Test' : `Test: ${known.name.slice(0, 100)}`}
      lead={known ? <TestPlace projectId={projectId} test={known} /> : <>&nbsp;</>}
      actions={
        data ? (
          <>
            <ConfirmButton projectId={projectId} test={data} />
            <RequestButton projectId={projectId} test={data} />
          </>
        ) : undefined
      }
    >
      {isMissing && !isUnjudged && past ? (
        <Empty title="The test has no such variant">
          <p>
            <Link to="/projects/$projectId/tests/$testId" params={params} search={{}}>
              Show the test
            </Link>{' '}
            to choose one of its variants.
          </p>
        </Empty>
      ) : isUnjudged ? (
        <Loaded query={history}>{() => (past ? <ResultsOnly history={past} /> : undefined)}</Loaded>
      ) : (
        <Loaded query={test}>
          {(found) => (
            <HealthParts projectId={projectId} test={found}>
              <Results query={history} />
            </HealthParts>
          )}
        </Loaded>
      )}
    </Page>
  )
}

function TestPlace({
  projectId,
  test: { suite, file },
}: {
  projectId: string
  test: Pick<History['test'], 'suite' | 'file'>
}) {
  // Many reporters use the file as the name of its suite.
  const isNamed = suite !== '' && suite !== file
  return (
    <>
      {isNamed ? <ShortText text={suite} limit={300} /> : undefined}
      {isNamed && file !== null ? ' · ' : undefined}
      {file === null ? undefined : <CodeLink projectId={projectId} path={file} />}
    </>
  )
}
