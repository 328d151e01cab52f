import { useMutation, useQuery } from '@tanstack/react-query'
import type { GatePolicy } from '../../../core/gate-policy/schema.ts'
import { queryClient, trpc } from '../../api.ts'
import { Form } from '../../parts/form.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { announce } from '../../shell/notices.ts'
import { ModeField, RuleFields, UploadFields } from './gate-fields.tsx'
import { changeOf, formOf, hasValidTargets } from './gate-form.ts'
import { ComponentFields, FileFields } from './gate-lists.tsx'
import { GatePreview } from './gate-preview.tsx'
import { SaveBar } from './save-bar.tsx'
import { type TabProps, useDraft } from './use-draft.ts'

/** Which changes may be merged, and whether the gate blocks the others. */
export function GateTab(props: TabProps) {
  const policy = useQuery(trpc.gate.getPolicy.queryOptions({ projectId: props.project.id }))
  return <Loaded query={policy}>{(found) => <PolicyForm {...props} policy={found} />}</Loaded>
}

function PolicyForm({ project, isAdmin, isMember, policy }: TabProps & { policy: GatePolicy }) {
  const { id: projectId } = project
  const saved = formOf(policy)
  const { form, set, isChanged, reset } = useDraft(saved)
  const change = changeOf(form, saved)
  const update = useMutation(
    trpc.gate.updatePolicy.mutationOptions({
      onSuccess: async (stored) => {
        queryClient.setQueryData(trpc.gate.getPolicy.queryKey({ projectId }), stored)
        announce('The rules of the gate were saved.')
        reset()
        await queryClient.invalidateQueries(trpc.gate.pathFilter())
      },
    }),
  )
  const needsAdmin = policy.mode === 'enforced'
  return (
    <div className="plan-split">
      <Form onSubmit={() => update.mutate({ projectId, policy: change })} label="Gate">
        {needsAdmin && isMember && !isAdmin ? (
          <p className="note-line tone-warn">The gate is enforced. Changing its rules requires the role admin.</p>
        ) : undefined}
        <ModeField form={form} set={set} isAdmin={isAdmin} />
        <RuleFields form={form} set={set} />
        <UploadFields form={form} set={set} />
        <ComponentFields form={form} set={set} />
        <FileFields form={form} set={set} />
        <SaveBar
          isChanged={isChanged}
          isSaving={update.isPending}
          mayChange={needsAdmin ? isAdmin : isMember}
          onReset={reset}
        />
      </Form>
      <GatePreview projectId={projectId} change={hasValidTargets(form) ? change : {}} />
    </div>
  )
}
