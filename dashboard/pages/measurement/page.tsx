import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { client, queryClient, trpc } from '../../api.ts'
import { Commit } from '../../parts/copy.tsx'
import {
  Answer,
  durationOf,
  followInterval,
  followSeconds,
  hasEnded,
  Phases,
  ShareBar,
  Warnings,
} from '../../parts/judged.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { formatCount, plural } from '../../parts/number-text.ts'
import { Facts, Page, Section } from '../../parts/page.tsx'
import { StrengthBar } from '../../parts/strength.tsx'
import { Duration, Time } from '../../parts/time.tsx'
import { useOwnProject } from '../../parts/use-own-project.ts'
import { announce } from '../../shell/notices.ts'
import '../../styles/judged.css'
import '../../styles/strength.css'
import { Files, Unreached } from './files.tsx'
import { Survivors } from './survivors.tsx'
import type { Evidence, Measurement } from './types.ts'

const route = getRouteApi('/projects/$projectId/strength/$measurementId')

const phases = [
  ['fetching', 'Fetch'],
  ['finding_mutants', 'Find changes to try'],
  ['installing', 'Install'],
  ['running_tests', 'Run all tests once'],
  ['trying_mutants', 'Try changes'],
  ['checking', 'Check a sample'],
] as const

export function MeasurementPage() {
  const { measurementId } = route.useParams()
  const { queryKey } = trpc.strength.get.queryOptions({ measurementId })
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      const known = queryClient.getQueryData(queryKey)
      const wait =
        known && !hasEnded(known)
          ? { waitSeconds: followSeconds, survivorsAfter: known.evidence?.survived ?? 0 }
          : { waitSeconds: 0 }
      return client.strength.get.query({ measurementId, ...wait }, { signal })
    },
    refetchInterval: followInterval,
  })
  const { data } = query
  useOwnProject(data?.projectId)
  return (
    <Page
      title="Measurement of the tests"
      actions={data && !hasEnded(data) ? <Cancel measurementId={measurementId} /> : undefined}
      lead={data ? <Scope of={data} /> : undefined}
    >
      <Loaded query={query}>{(measurement) => <Content of={measurement} />}</Loaded>
    </Page>
  )
}

function Scope({ of: { paths, since } }: { of: Measurement }) {
  return (
    <>
      {paths.length === 0 ? 'All code' : <bdi>{paths.join(', ').slice(0, 500)}</bdi>}
      {since === null ? undefined : (
        <>
          , changed since <bdi>{since}</bdi>
        </>
      )}
    </>
  )
}

function Cancel({ measurementId }: { measurementId: string }) {
  const cancel = useMutation(
    trpc.strength.cancel.mutationOptions({
      onSuccess: () => {
        void queryClient.invalidateQueries({ queryKey: trpc.strength.get.queryKey({ measurementId }) })
        announce('The measurement was cancelled.')
      },
    }),
  )
  return (
    <button
      type="button"
      className="plain"
      disabled={cancel.isPending}
      onClick={() => cancel.mutate({ measurementId })}
    >
      Cancel
    </button>
  )
}

function Content({ of }: { of: Measurement }) {
  const { evidence } = of
  const { path } = route.useSearch()
  const navigate = route.useNavigate()
  const choose = (next: string | undefined) => void navigate({ search: { path: next }, replace: true })
  const code = { projectId: of.projectId, commitSha: of.commitSha, snapshotId: of.snapshotId }
  return (
    <>
      <Answer of={of} summary={evidence?.summary}>
        {evidence?.strength ? <StrengthBar {...evidence.strength} previous={of.previous} /> : undefined}
        {evidence && evidence.found > 0 ? <Shares of={evidence} /> : undefined}
      </Answer>
      {hasEnded(of) ? undefined : (
        <Phases phases={phases} status={of.status} startedAt={of.startedAt} progress={of.progress} />
      )}
      <Figures of={of} />
      {evidence ? (
        <>
          {evidence.warnings.length > 0 ? (
            <Section title="What to know about it">
              <Warnings of={evidence.warnings} />
            </Section>
          ) : undefined}
          <Survivors evidence={evidence} code={code} path={path} onChoose={choose} />
          <Files evidence={evidence} code={code} path={path} onChoose={choose} />
          <Unreached evidence={evidence} code={code} path={path} />
          <FailingTests evidence={evidence} />
        </>
      ) : undefined}
    </>
  )
}

function Shares({ of }: { of: Evidence }) {
  return (
    <ShareBar
      label="What became of the changes"
      of={[
        { name: 'noticed', count: of.noticed - of.timedOut, tone: 'good' },
        { name: 'noticed, because the tests took too long', count: of.timedOut, tone: 'busy' },
        { name: 'survived', count: of.survived, tone: 'bad' },
        { name: 'reached by tests, not tried', count: Math.max(0, of.reached - of.tried), tone: 'warn' },
        { name: 'that no test runs', count: Math.max(0, of.found - of.reached), tone: 'quiet' },
      ]}
    />
  )
}

function Figures({ of }: { of: Measurement }) {
  const { evidence, previous } = of
  return (
    <Facts
      of={[
        [
          'Measured on',
          <span key="code" className="row">
            {of.branch ? <bdi>{of.branch}</bdi> : undefined}
            <Commit sha={of.commitSha} />
            {of.snapshotId ? <span className="tag">Snapshot</span> : undefined}
          </span>,
        ],
        !!evidence && ['Tests', formatCount(evidence.tests.run)],
        !!evidence && evidence.kept > 0 && ['Kept from before', formatCount(evidence.kept)],
        !!evidence &&
          evidence.sample.tried > 0 && [
            'Tried again in fresh processes',
            `${evidence.sample.tried}, ${evidence.sample.disagreed} with another result`,
          ],
        ['Time for trying', `${formatCount(of.budgetSeconds)} s`],
        previous !== null && [
          'Before',
          <Link
            key="previous"
            to="/projects/$projectId/strength/$measurementId"
            params={{ projectId: of.projectId, measurementId: previous.id }}
          >
            <Time at={previous.completedAt} />
          </Link>,
        ],
        ['Requested', <Time key="at" at={of.createdAt} />],
        !!evidence && hasEnded(of) && ['Took', <Duration key="took" ms={durationOf(of)} />],
      ]}
    />
  )
}

function FailingTests({ evidence: { tests } }: { evidence: Evidence }) {
  if (tests.failing === 0) return undefined
  return (
    <Section title="Tests that fail without a change">
      <p>
        {plural(tests.failing, 'test')} {tests.failing === 1 ? 'fails' : 'fail'} on the unchanged code, so changes were
        tried without {tests.failing === 1 ? 'it' : 'them'}.
      </p>
      <ul>
        {tests.failingTests.map(({ path, name }) => (
          <li key={`${path} ${name}`}>
            <code>{path}</code> <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
    </Section>
  )
}
