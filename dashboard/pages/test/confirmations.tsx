import { useMutation, useQuery } from '@tanstack/react-query'
import { type Outputs, queryClient, trpc } from '../../api.ts'
import { Commit } from '../../parts/copy.tsx'
import { followSeconds, hasEnded } from '../../parts/judged.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { plural } from '../../parts/number-text.ts'
import { Section } from '../../parts/page.tsx'
import { isAtLeast, useProjectRole } from '../../parts/roles.ts'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { announce } from '../../shell/notices.ts'
import type { TestDetail } from './types.ts'

type Confirmation = Outputs['tests']['listConfirmations']['confirmations'][number]

const shown = 5

/** The latest attempts to confirm a fix of the test, with what they showed. */
export function Confirmations({ projectId, test }: { projectId: string; test: TestDetail }) {
  const { testId, variant } = test
  const query = useQuery(
    trpc.tests.listConfirmations.queryOptions(
      { projectId, testId, limit: shown },
      {
        refetchInterval: ({ state }) =>
          state.data?.confirmations.every(hasEnded) === false ? followSeconds * 1_000 : false,
      },
    ),
  )
  const mayCancel = isAtLeast(useProjectRole(projectId), 'member')
  const confirmations = (query.data?.confirmations ?? []).filter((each) => each.variant === variant)
  if (confirmations.length === 0) return undefined
  return (
    <Section title="Confirmed fixes">
      <ul className="test-confirmations plain-list">
        {confirmations.map((each) => (
          <Item key={each.id} of={each} mayCancel={mayCancel} />
        ))}
      </ul>
    </Section>
  )
}

const phaseTexts: Record<NonNullable<Confirmation['progress']>['phase'], string> = {
  fetching: 'Fetches the commit',
  installing: 'Installs',
  alone: 'Repeats the test alone',
  in_suite: 'Repeats it with the other tests',
}

function Item({ of, mayCancel }: { of: Confirmation; mayCancel: boolean }) {
  const { status, verdict, error, summary, progress, commitSha, snapshotId, branch, repeats, createdAt, mergedAt } = of
  const cancel = useMutation(
    trpc.tests.cancelConfirmation.mutationOptions({
      onSuccess: async () => {
        announce('The confirmation was cancelled.')
        await queryClient.invalidateQueries({ queryKey: trpc.tests.listConfirmations.queryKey() })
      },
    }),
  )
  const answer = error?.message ?? summary
  return (
    <li className="card test-confirmation">
      <p className="row">
        <Status of={verdict ?? status} />
        {commitSha === null ? undefined : <Commit sha={commitSha} />}
        {snapshotId === null ? undefined : <span className="tag">working tree</span>}
        {branch === null ? undefined : <ShortText text={branch} limit={60} />}
        <span className="quiet">
          {plural(repeats, 'repetition')} <Time at={createdAt} />
        </span>
        {mayCancel && !hasEnded(of) ? (
          <button
            type="button"
            className="plain"
            disabled={cancel.isPending}
            onClick={() => cancel.mutate({ confirmationId: of.id })}
          >
            Cancel
          </button>
        ) : undefined}
      </p>
      {progress === null || hasEnded(of) ? undefined : (
        <p>
          {phaseTexts[progress.phase]}
          {progress.total > 0 ? `: ${progress.done} of ${progress.total}` : ''}
        </p>
      )}
      {answer === null || answer === undefined ? undefined : (
        <p>
          <ShortText text={answer} limit={500} />
        </p>
      )}
      {verdict === 'confirmed' ? (
        <p className="quiet">
          {mergedAt === null ? (
            `The test counts as healthy as soon as the branch of the project ${snapshotId === null ? 'contains the commit' : 'is tested with exactly these files'}.`
          ) : (
            <>
              On the branch of the project since <Time at={mergedAt} />
            </>
          )}
        </p>
      ) : undefined}
    </li>
  )
}
