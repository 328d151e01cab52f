import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { client, queryClient, trpc } from '../../api.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { CodeLink } from '../../parts/code-link.tsx'
import { Commit, Snippet } from '../../parts/copy.tsx'
import { Answer, durationOf, followInterval, followSeconds, hasEnded, Phases, Warnings } from '../../parts/judged.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Facts, Page, Section } from '../../parts/page.tsx'
import { Duration, Time } from '../../parts/time.tsx'
import { useOwnProject } from '../../parts/use-own-project.ts'
import { announce } from '../../shell/notices.ts'
import '../../styles/judged.css'
import '../../styles/verification.css'
import { Gain } from './gain.tsx'
import { Mutants } from './mutants.tsx'
import { Remarks } from './remarks.tsx'
import { Runs } from './runs.tsx'
import type { Evidence, Verification } from './types.ts'

const route = getRouteApi('/projects/$projectId/verifications/$verificationId')

const phases = [
  ['fetching', 'Fetch'],
  ['installing', 'Install'],
  ['building', 'Run once alone'],
  ['mutating', 'Try small changes'],
  ['baseline', 'Run the other tests'],
  ['comparing', 'Run with all tests'],
  ['repeating', 'Repeat'],
  ['judging', 'Judge'],
] as const

/** The parts of `evidence.notRun` in words. */
const open: Record<NonNullable<Evidence['notRun']>[number], string> = {
  comparison: "the comparison with the project's own tests",
  suite: 'the runs with all tests',
  repeats: 'the repeats',
  mutants: 'the other small changes to the code',
}

export function VerificationPage() {
  const { verificationId } = route.useParams()
  const { queryKey } = trpc.tests.getVerification.queryOptions({ verificationId })
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      const known = queryClient.getQueryData(queryKey)
      const waitSeconds = known && !hasEnded(known) ? followSeconds : 0
      return client.tests.getVerification.query({ verificationId, waitSeconds }, { signal })
    },
    refetchInterval: followInterval,
  })
  const { data } = query
  useOwnProject(data?.projectId)
  return (
    <Page
      title={data ? <bdi>{data.filePath}</bdi> : 'Verification'}
      documentTitle={data ? `Verification of ${data.filePath}` : 'Verification'}
      actions={data ? <Actions of={data} /> : undefined}
    >
      <Loaded query={query}>{(verification) => <Content of={verification} />}</Loaded>
    </Page>
  )
}

function Actions({ of }: { of: Verification }) {
  const navigate = useNavigate()
  const cancel = useMutation(
    trpc.tests.cancelVerification.mutationOptions({
      onSuccess: (record) => {
        const key = trpc.tests.getVerification.queryKey({ verificationId: record.id })
        void queryClient.invalidateQueries({ queryKey: key })
        announce('The verification was cancelled.')
      },
    }),
  )
  const again = useMutation(
    trpc.tests.verify.mutationOptions({
      onSuccess: ({ id: verificationId, projectId }) => {
        announce('The test is being verified again.')
        void navigate({
          to: '/projects/$projectId/verifications/$verificationId',
          params: { projectId, verificationId },
        })
      },
    }),
  )
  if (!hasEnded(of)) {
    return (
      <button
        type="button"
        className="plain"
        disabled={cancel.isPending}
        onClick={() => cancel.mutate({ verificationId: of.id })}
      >
        Cancel
      </button>
    )
  }
  return (
    <button type="button" className="plain" disabled={again.isPending} onClick={() => again.mutate(repeatOf(of))}>
      Verify again
    </button>
  )
}

/** The same test on the same code. A generated test gets the new verdict; a branch may have moved since. */
function repeatOf(of: Verification) {
  const { projectId, filePath, code, generatedTestId, suggestionId, snapshotId, branch, commitSha, evidence } = of
  const test = generatedTestId
    ? { generatedTestId }
    : {
        filePath,
        code,
        ...(suggestionId ? { suggestionId } : {}),
        ...(evidence?.target && !suggestionId ? { target: evidence.target } : {}),
      }
  const state = snapshotId ? { snapshotId } : commitSha ? { commitSha } : branch ? { branch } : {}
  return { projectId, ...test, ...state, again: true }
}

function Content({ of }: { of: Verification }) {
  const { evidence } = of
  return (
    <>
      <Answer of={of} summary={evidence?.summary}>
        {of.isProvisional && evidence?.notRun && evidence.notRun.length > 0 ? (
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
      <Section title="The test">
        <CodeBlock label="Code of the test" text={of.code} firstLine={1} />
      </Section>
      {evidence?.output ? (
        <Section title="Output of the deciding run">
          <CodeBlock label="Output" text={evidence.output} />
        </Section>
      ) : undefined}
    </>
  )
}

function Figures({ of }: { of: Verification }) {
  const { projectId, evidence, commitSha, snapshotId } = of
  const target = evidence?.target
  return (
    <Facts
      of={[
        !!target && [
          'Code under test',
          <span key="target" className="row">
            <CodeLink {...{ projectId, commitSha, snapshotId }} path={target.path} line={target.startLine} />
            {target.symbol ? <code>{target.symbol}</code> : undefined}
          </span>,
        ],
        [
          'Verified on',
          <span key="code" className="row">
            {of.branch ? <bdi>{of.branch}</bdi> : undefined}
            <Commit sha={commitSha} />
            {snapshotId ? <span className="tag">Snapshot</span> : undefined}
          </span>,
        ],
        !!evidence?.framework && ['Runner', evidence.framework],
        of.generatedTestId !== null && [
          'Generated test',
          <Link
            key="test"
            to="/projects/$projectId/generated-tests/$generatedTestId"
            params={{ projectId, generatedTestId: of.generatedTestId }}
          >
            Open
          </Link>,
        ],
        of.suggestionId !== null && [
          'Suggestion',
          <Link key="suggestion" to="/projects/$projectId/suggestions" params={{ projectId }}>
            What to test
          </Link>,
        ],
        of.sameAs !== null && [
          'Known from',
          <Link
            key="same"
            to="/projects/$projectId/verifications/$verificationId"
            params={{ projectId, verificationId: of.sameAs }}
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

function Proof({ of, evidence }: { of: Verification; evidence: Evidence }) {
  const { projectId, commitSha, snapshotId } = of
  const code = { projectId, commitSha, snapshotId }
  return (
    <>
      <Runs evidence={evidence} code={code} />
      {evidence.mutation ? <Mutants of={evidence.mutation} code={code} /> : undefined}
      <Gain evidence={evidence} code={code} />
      <Remarks evidence={evidence} code={code} />
      {evidence.warnings.length > 0 ? (
        <Section title="What was not measured, or less often">
          <Warnings of={evidence.warnings} />
        </Section>
      ) : undefined}
      {evidence.command ? (
        <Section title="Run it by hand">
          <Snippet label="Command to run the test" text={evidence.command} />
        </Section>
      ) : undefined}
    </>
  )
}
