import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { client, queryClient, trpc } from '../../api.ts'
import { headOf, refName } from '../../parts/change-name.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Commit, Snippet } from '../../parts/copy.tsx'
import { Answer, durationOf, followInterval, followSeconds, hasEnded, Phases, Warnings } from '../../parts/judged.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { plural } from '../../parts/number-text.ts'
import { Facts, Page, Section } from '../../parts/page.tsx'
import { Prose } from '../../parts/prose.tsx'
import { Duration, Time } from '../../parts/time.tsx'
import { useOwnProject } from '../../parts/use-own-project.ts'
import { announce } from '../../shell/notices.ts'
import '../../styles/judged.css'
import { Mutants } from './mutants.tsx'
import { Patch } from './patch.tsx'
import { Tests } from './tests.tsx'
import type { Change, Evidence } from './types.ts'

const route = getRouteApi('/projects/$projectId/changes/$changeId')

const phases = [
  ['fetching', 'Fetch'],
  ['installing', 'Install'],
  ['running_head', 'Tests with the change'],
  ['running_base', 'Tests before it'],
  ['without_change', 'New tests without it'],
  ['repeating', 'Repeat'],
  ['mutating', 'Try small changes'],
  ['judging', 'Judge'],
] as const

/** The parts of `evidence.notRun` in words. */
const open: Record<Evidence['notRun'][number], string> = {
  repeats: 'the repeats',
  without_change: 'the new tests without the change',
  mutants: 'small changes to the code',
}

export function ChangePage() {
  const { changeId } = route.useParams()
  const { queryKey } = trpc.changes.get.queryOptions({ changeId })
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      const known = queryClient.getQueryData(queryKey)
      const waitSeconds = known && !hasEnded(known) ? followSeconds : 0
      return client.changes.get.query({ changeId, waitSeconds, final: true }, { signal })
    },
    refetchInterval: followInterval,
  })
  const { data } = query
  useOwnProject(data?.projectId)
  return (
    <Page
      title={data ? <TitleOf change={data} /> : 'Change'}
      documentTitle={data ? `Change: ${headOf(data)}` : 'Change'}
      actions={data ? <Actions of={data} /> : undefined}
    >
      <Loaded query={query}>{(change) => <Content of={change} />}</Loaded>
    </Page>
  )
}

const TitleOf = ({ change }: { change: Change }) => (
  <>
    Change: <bdi>{headOf(change)}</bdi>
  </>
)

function Actions({ of }: { of: Change }) {
  const navigate = useNavigate()
  const cancel = useMutation(
    trpc.changes.cancel.mutationOptions({
      onSuccess: ({ id: changeId }) => {
        void queryClient.invalidateQueries({ queryKey: trpc.changes.get.queryKey({ changeId }) })
        announce('The verification of the change was cancelled.')
      },
    }),
  )
  const again = useMutation(
    trpc.changes.verify.mutationOptions({
      onSuccess: ({ id: changeId, projectId }) => {
        announce('The change is being verified again.')
        void navigate({ to: '/projects/$projectId/changes/$changeId', params: { projectId, changeId } })
      },
    }),
  )
  return hasEnded(of) ? (
    <button type="button" className="plain" disabled={again.isPending} onClick={() => again.mutate(repeatOf(of))}>
      Verify again
    </button>
  ) : (
    <button
      type="button"
      className="plain"
      disabled={cancel.isPending}
      onClick={() => cancel.mutate({ changeId: of.id })}
    >
      Cancel
    </button>
  )
}

/** The same commits; a branch may have moved since. */
function repeatOf({ projectId, snapshotId, headSha, head, baseSha, base, intent }: Change) {
  const from = baseSha ?? base
  const to = headSha ?? head
  return {
    projectId,
    expect: intent,
    again: true,
    ...(from === null ? {} : { base: from }),
    ...(snapshotId === null ? (to === null ? {} : { head: to }) : { snapshotId }),
  }
}

function Content({ of }: { of: Change }) {
  const { evidence } = of
  const missing = evidence?.missing ?? []
  const repeatsMissing = missing[0] !== undefined && evidence?.summary.startsWith(missing[0].slice(0, 60))
  return (
    <>
      <Answer of={of} summary={repeatsMissing ? undefined : evidence?.summary}>
        {missing.length > 0 ? (
          <>
            <h2>What is missing</h2>
            <ol className="missing">
              {missing.map((each) => (
                <li key={each}>
                  <Prose text={each} />
                </li>
              ))}
            </ol>
          </>
        ) : undefined}
        {of.isProvisional && evidence && evidence.notRun.length > 0 ? (
          <p className="quiet">
            The verdict can still change. Not done yet: {evidence.notRun.map((each) => open[each]).join(', ')}.
          </p>
        ) : undefined}
      </Answer>
      {hasEnded(of) ? undefined : (
        <Phases phases={phases} status={of.status} startedAt={of.startedAt} progress={of.progress} />
      )}
      <Figures of={of} />
      {evidence ? <Proof of={of} evidence={evidence} /> : undefined}
    </>
  )
}

function Figures({ of }: { of: Change }) {
  const { evidence } = of
  return (
    <Facts
      of={[
        [
          'With the change',
          <span key="head" className="row">
            {of.head === null || of.head === of.headSha ? undefined : <bdi>{refName(of.head)}</bdi>}
            <Commit sha={of.headSha} />
            {of.snapshotId ? <span className="tag">Snapshot</span> : undefined}
          </span>,
        ],
        [
          'Before it',
          <span key="base" className="row">
            {of.base === null || of.base === of.baseSha ? undefined : <bdi>{refName(of.base)}</bdi>}
            <Commit sha={of.baseSha} />
          </span>,
        ],
        ['Intent', of.intent === 'same' ? 'Refactoring: behavior stays the same' : 'Behavior changes'],
        !!evidence && ['Changed files', filesText(evidence.files)],
        of.sameAs !== null && [
          'Known from',
          <Link
            key="same"
            to="/projects/$projectId/changes/$changeId"
            params={{ projectId: of.projectId, changeId: of.sameAs }}
          >
            the same verification before
          </Link>,
        ],
        ['Requested', <Time key="at" at={of.createdAt} />],
        !!evidence && hasEnded(of) && ['Took', <Duration key="took" ms={durationOf(of)} />],
      ]}
    />
  )
}

const filesText = ({ code, tests, other }: Evidence['files']) =>
  `${plural(code, 'code file')}, ${plural(tests, 'test file')}, ${plural(other, 'other')}`

function Proof({ of, evidence }: { of: Change; evidence: Evidence }) {
  const code = { projectId: of.projectId, commitSha: of.headSha, snapshotId: of.snapshotId }
  const base = { projectId: of.projectId, commitSha: of.baseSha }
  return (
    <>
      <Tests evidence={evidence} code={code} />
      {evidence.patch ? <Patch of={evidence.patch} code={code} /> : undefined}
      {evidence.mutation ? <Mutants of={evidence.mutation} code={code} base={base} /> : undefined}
      {evidence.warnings.length > 0 ? (
        <Section title="What was not measured, or not as well">
          <Warnings of={evidence.warnings} />
        </Section>
      ) : undefined}
      {evidence.command ? (
        <Section title="Run its tests by hand">
          <Snippet label="Command to run the tests" text={evidence.command} />
        </Section>
      ) : undefined}
      {evidence.output ? (
        <Section title="Output of the deciding run">
          <CodeBlock label="Output" text={evidence.output} />
        </Section>
      ) : undefined}
    </>
  )
}
