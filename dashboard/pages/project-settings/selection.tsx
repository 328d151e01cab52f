import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Outputs, queryClient, trpc } from '../../api.ts'
import { ChoiceField, Form } from '../../parts/form.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { announce } from '../../shell/notices.ts'
import { SaveBar } from './save-bar.tsx'
import { PatternsField } from './tests.tsx'
import { linesOf, patternsIn } from './text-values.ts'
import { type TabProps, useDraft } from './use-draft.ts'

type Overview = Outputs['selection']['get']

const modes = [
  ['off', 'Off: do not compute selections beside runs'],
  ['shadow', 'Shadow: run all tests, and compute what a selection would have done'],
  ['enforce', 'Enforce: run only selected tests for pull requests and other branches'],
] as const

/** Whether runs leave out the tests that cannot notice a change. */
export function SelectionTab(props: TabProps) {
  const overview = useQuery(trpc.selection.get.queryOptions({ projectId: props.project.id }))
  return <Loaded query={overview}>{(found) => <SelectionForm {...props} overview={found} />}</Loaded>
}

function SelectionForm({
  project: { id: projectId },
  isAdmin,
  isMember,
  overview: { policy, evidence },
}: TabProps & { overview: Overview }) {
  const { form, set, isChanged, onlyChanged, reset } = useDraft({ ...policy, alwaysRun: linesOf(policy.alwaysRun) })
  const update = useMutation(
    trpc.selection.update.mutationOptions({
      onSuccess: async (stored) => {
        queryClient.setQueryData(trpc.selection.get.queryKey({ projectId }), stored)
        announce('The settings of the selection were saved.')
        reset()
      },
    }),
  )
  const save = () =>
    update.mutate({ projectId, policy: onlyChanged({ mode: form.mode, alwaysRun: patternsIn(form.alwaysRun) }) })
  return (
    <Form onSubmit={save} label="Selection">
      <ChoiceField
        label="Mode"
        hint={
          <>
            Only admins and owners switch it. {evidence.missing ?? 'The history of the project supports enforcing it.'}{' '}
            <Link to="/projects/$projectId/selection" params={{ projectId }}>
              Recall and saving
            </Link>
          </>
        }
        value={form.mode}
        options={modes}
        disabled={!isAdmin}
        onChange={(value) => set('mode', value as typeof form.mode)}
      />
      <PatternsField
        label="Tests that always run"
        hint="Test files that every selection contains, one pattern on a line."
        placeholder="test/smoke/**"
        value={form.alwaysRun}
        onChange={(value) => set('alwaysRun', value)}
      />
      <SaveBar isChanged={isChanged} isSaving={update.isPending} mayChange={isMember} onReset={reset} />
    </Form>
  )
}
