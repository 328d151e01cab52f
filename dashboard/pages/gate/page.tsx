import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { client, queryClient, trpc } from '../../api.ts'
import { refName } from '../../parts/change-name.ts'
import { Commit } from '../../parts/copy.tsx'
import { gateName, GateStatus, gateModeTexts } from '../../parts/gate.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { Facts, Page, Section } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useOwnProject } from '../../parts/use-own-project.ts'
import '../../styles/judged.css'
import { GateActions } from './actions.tsx'
import { FiguresOfGate } from './figures.tsx'
import { Files } from './files.tsx'
import { Reasons } from './reasons.tsx'
import { NewFailures, NewFlaky } from './tests.tsx'
import type { Gate } from './types.ts'
import { meaningOf } from './words.ts'

const route = getRouteApi('/projects/$projectId/gates/$gateId')

/** How long one call waits for the decision. */
const waitSeconds = 5
/** Later results can change a decision. */
const decidedInterval = 30_000
/** A run of the commit can end at any time. */
const runningInterval = 3_000

const isOpen = ({ state, isOutdated }: Pick<Gate, 'state' | 'isOutdated'>) => state === 'pending' || isOutdated

function intervalOf(gate: Gate): number {
  if (isOpen(gate)) return 250
  return (gate.figures?.runs.open ?? 0) > 0 ? runningInterval : decidedInterval
}

/** Whether a change may be merged, and what is missing. Follows the gate until it is decided. */
export function GatePage() {
  const { gateId } = route.useParams()
  const { queryKey } = trpc.gate.get.queryOptions({ gateId })
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      const known = queryClient.getQueryData(queryKey)
      return client.gate.get.query({ gateId, waitSeconds: known && isOpen(known) ? waitSeconds : 0 }, { signal })
    },
    refetchInterval: ({ state: { data } }) => (data ? intervalOf(data) : false),
  })
  const { data } = query
  useOwnProject(data?.projectId)
  return (
    <Page
      title={data ? <TitleOf gate={data} /> : 'Gate'}
      documentTitle={data ? `Gate: ${gateName(data).slice(0, 100)}` : 'Gate'}
    >
      <Loaded query={query}>{(gate) => <Content of={gate} />}</Loaded>
    </Page>
  )
}

const TitleOf = ({ gate }: { gate: Gate }) => (
  <>
    Gate: <ShortText text={gateName(gate)} />
  </>
)

function Content({ of }: { of: Gate }) {
  const { figures } = of
  return (
    <>
      <div className={`card answer answer-${of.state}`} role="status" aria-live="polite">
        <span className="verdict-status">
          <GateStatus of={of.state} />
          <span className="tag">{gateModeTexts[of.mode]}</span>
        </span>
        <p className="answer-text">{meaningOf(of)}</p>
        {of.state === 'pending' ? (
          <p className="quiet">
            It has the state error if something is still missing at the deadline, <Time at={of.deadlineAt} />.
          </p>
        ) : undefined}
        {of.isOutdated ? <p className="quiet">Results arrived that this decision does not know yet.</p> : undefined}
      </div>
      <GateActions gate={of} />
      <Subject of={of} />
      <Section title="Reasons">
        <Reasons gate={of} />
      </Section>
      {figures ? (
        <>
          <NewFailures projectId={of.projectId} of={figures.failures} />
          <NewFlaky projectId={of.projectId} of={figures.flaky} />
          <FiguresOfGate gate={of} of={figures} />
        </>
      ) : undefined}
      {of.files.length > 0 ? <Files gate={of} /> : undefined}
    </>
  )
}

function Subject({ of }: { of: Gate }) {
  const { projectId, pullRequest, branch, headSha, snapshotId, base, baseSha } = of
  return (
    <Facts
      of={[
        pullRequest !== null && [
          'Pull request',
          <Link key="pull" to="/projects/$projectId/gates" params={{ projectId }} search={{ pullRequest }}>
            #{pullRequest}
          </Link>,
        ],
        branch !== null && [
          'Branch',
          <Link key="branch" to="/projects/$projectId/gates" params={{ projectId }} search={{ branch }}>
            <ShortText text={branch} />
          </Link>,
        ],
        [
          'Head',
          <span key="head" className="row">
            <Commit sha={headSha} />
            {snapshotId === null ? undefined : <span className="tag">Snapshot</span>}
          </span>,
        ],
        [
          'Compared with',
          <span key="base" className="row">
            {base === baseSha ? undefined : <ShortText text={refName(base)} />}
            <Commit sha={baseSha} />
          </span>,
        ],
        ['Requested', <Time key="requested" at={of.createdAt} />],
        of.decidedAt !== null && ['First decided', <Time key="decided" at={of.decidedAt} />],
        of.decidedAt !== null && ['Last updated', <Time key="updated" at={of.updatedAt} />],
      ]}
    />
  )
}
