import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { queryClient, trpc } from '../../api.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { isAtLeast, useProjectRole } from '../../parts/roles.ts'
import { announce } from '../../shell/notices.ts'
import { placeOf } from '../tests/columns.tsx'
import type { TestDetail } from './types.ts'

type Named = TestDetail['renamedFrom'][number]

interface RenameProps {
  projectId: string
  test: TestDetail
}

/** The names that the test has had, and those that it probably had, whose history can be added. */
export function Renames({ projectId, test }: RenameProps) {
  const [merging, setMerging] = useState<Named>()
  const mayMerge = isAtLeast(useProjectRole(projectId), 'member')
  const { renamedFrom, mergedFrom } = test
  if (renamedFrom.length + mergedFrom.length === 0) return undefined
  return (
    <section className="card test-renames" aria-label="Earlier names">
      {renamedFrom.length > 0 ? (
        <>
          <p>
            This test appeared when {renamedFrom.length === 1 ? 'another one' : 'others'} disappeared. If it was renamed
            or moved, merge the histories{mayMerge ? '' : ', which requires the role member'}.
          </p>
          <ul className="plain-list">
            {renamedFrom.map((named) => (
              <li key={named.testId} className="row">
                <TestName projectId={projectId} named={named} />
                {mayMerge ? (
                  <button type="button" className="plain" onClick={() => setMerging(named)}>
                    Merge<span className="visually-hidden"> the history of {named.name.slice(0, 100)}</span>
                  </button>
                ) : undefined}
              </li>
            ))}
          </ul>
        </>
      ) : undefined}
      {mergedFrom.length > 0 ? (
        <>
          <p>Includes the history under {mergedFrom.length === 1 ? 'this name' : 'these names'}:</p>
          <ul className="plain-list">
            {mergedFrom.map((named) => (
              <li key={named.testId}>
                <FullName named={named} />
              </li>
            ))}
          </ul>
        </>
      ) : undefined}
      {merging ? (
        <MergeDialog projectId={projectId} test={test} from={merging} onClose={() => setMerging(undefined)} />
      ) : undefined}
    </section>
  )
}

function TestName({ projectId, named }: { projectId: string; named: Named }) {
  return (
    <Link to="/projects/$projectId/tests/$testId" params={{ projectId, testId: named.testId }} preload={false}>
      <FullName named={named} />
    </Link>
  )
}

function FullName({ named }: { named: Named }) {
  const place = placeOf(named)
  return (
    <>
      <ShortText text={named.name} limit={200} />
      {place === '' ? undefined : (
        <span className="quiet">
          {' '}
          <ShortText text={place} limit={160} />
        </span>
      )}
    </>
  )
}

/** The server judges a test within this time after its histories were merged. */
const judgingMs = 3_000

function MergeDialog({ projectId, test, from, onClose }: RenameProps & { from: Named; onClose: () => void }) {
  const merge = useMutation(
    trpc.tests.merge.mutationOptions({
      onSuccess: async () => {
        announce('The histories were merged. Assay judges the test again.')
        onClose()
        await queryClient.invalidateQueries(trpc.tests.pathFilter())
        setTimeout(() => void queryClient.invalidateQueries(trpc.tests.pathFilter()), judgingMs)
      },
    }),
  )
  return (
    <Confirm
      title="Merge histories"
      action="Merge"
      isBusy={merge.isPending}
      onConfirm={() => merge.mutate({ projectId, from: from.testId, into: test.testId })}
      onClose={onClose}
    >
      <p>
        The results of <FullName named={from} /> become part of this test, in all variants. The earlier name disappears
        from the list of tests. This cannot be undone.
      </p>
    </Confirm>
  )
}
