import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type Outputs, queryClient, trpc } from '../../api.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { AskButton } from '../../parts/ask-button.tsx'
import { CodeLink } from '../../parts/code-link.tsx'
import { Commit } from '../../parts/copy.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { InlineText } from '../../parts/long-text.tsx'
import { Facts, Page, Section } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useOwnProject } from '../../parts/use-own-project.ts'
import { announce } from '../../shell/notices.ts'

type Generated = Outputs['generatedTests']['get']

const route = getRouteApi('/projects/$projectId/generated-tests/$generatedTestId')

/** A test that the AI service wrote, with its verdict. */
export function GeneratedTestPage() {
  const { generatedTestId } = route.useParams()
  const query = useQuery(trpc.generatedTests.get.queryOptions({ generatedTestId }))
  const { data } = query
  useOwnProject(data?.projectId)
  return (
    <Page
      title={data ? <bdi>{data.filePath}</bdi> : 'Generated test'}
      documentTitle={data ? `Generated test ${data.filePath}` : 'Generated test'}
      actions={data ? <Actions test={data} /> : undefined}
    >
      <Loaded query={query}>{(test) => <Content test={test} />}</Loaded>
    </Page>
  )
}

function Actions({ test: { id, projectId, dismissedAt } }: { test: Generated }) {
  const navigate = useNavigate()
  const verify = useMutation(
    trpc.tests.verify.mutationOptions({
      onSuccess: ({ id: verificationId }) =>
        navigate({
          to: '/projects/$projectId/verifications/$verificationId',
          params: { projectId, verificationId },
        }),
    }),
  )
  const dismiss = useMutation(
    trpc.generatedTests.dismiss.mutationOptions({
      onSuccess: async () => {
        await queryClient.invalidateQueries(trpc.generatedTests.pathFilter())
        announce('The test was dismissed.')
      },
    }),
  )
  return (
    <>
      <button
        type="button"
        disabled={verify.isPending}
        onClick={() => verify.mutate({ projectId, generatedTestId: id })}
      >
        Verify
      </button>
      {dismissedAt === null ? (
        <AskButton
          label="Dismiss"
          title="Dismiss the test?"
          action="Dismiss test"
          isBusy={dismiss.isPending}
          onConfirm={() => dismiss.mutate({ generatedTestId: id })}
        >
          <p>The lists leave it out, and its suggestion is not made again. This cannot be undone.</p>
        </AskButton>
      ) : undefined}
    </>
  )
}

function Content({ test }: { test: Generated }) {
  const { projectId, commitSha, snapshotId, verdict, verificationId, target, suggestionId } = test
  return (
    <>
      <p className="headline">
        <InlineText text={test.description} />
      </p>
      <Facts
        of={[
          [
            'Verdict',
            verdict === null ? (
              'Not verified'
            ) : verificationId === null ? (
              <Status key="verdict" of={verdict} />
            ) : (
              <Link
                key="verdict"
                to="/projects/$projectId/verifications/$verificationId"
                params={{ projectId, verificationId }}
              >
                <Status of={verdict} />
              </Link>
            ),
          ],
          test.dismissedAt !== null && ['Dismissed', <Time key="dismissed" at={test.dismissedAt} />],
          target !== null && [
            'Target',
            <span key="target">
              {target.symbol ? <code>{target.symbol}</code> : undefined}{' '}
              <CodeLink {...{ projectId, commitSha, snapshotId }} path={target.path} line={target.startLine} />
            </span>,
          ],
          suggestionId !== null && [
            'Suggestion',
            <Link
              key="suggestion"
              to="/projects/$projectId/suggestions"
              params={{ projectId }}
              search={{ tab: 'suggestions', open: suggestionId }}
            >
              Open it
            </Link>,
          ],
          ['Type', test.testType],
          ['Framework', test.framework ?? '–'],
          ['Commit', <Commit key="commit" sha={commitSha} />],
          ['Generated', <Time key="at" at={test.createdAt} />],
        ]}
      />
      <Section title="Code">
        <CodeBlock label={`Code of ${test.filePath}`} text={test.code} />
      </Section>
    </>
  )
}
