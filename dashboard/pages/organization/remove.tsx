import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { queryClient, trpc } from '../../api.ts'
import { Confirm, ConfirmByName } from '../../parts/dialog.tsx'
import { announce } from '../../shell/notices.ts'
import type { Member } from './member.ts'
import type { Organization } from './tabs.ts'

interface RemoveProps {
  organization: Organization
  member: Member
  /** The user leaves the organization. */
  isSelf: boolean
  onClose: () => void
}

/** Removes a member, takes back an invitation, or lets the user leave. */
export function RemoveMember({ organization, member, isSelf, onClose }: RemoveProps) {
  const navigate = useNavigate()
  const remove = useMutation(
    trpc.organizations.removeMember.mutationOptions({
      onSuccess: async () => {
        announce(isSelf ? `You left ${organization.name}.` : `${member.email} is no longer a member.`)
        onClose()
        if (isSelf) await navigate({ to: '/organizations' })
        await queryClient.invalidateQueries(trpc.organizations.pathFilter())
      },
      onError: onClose,
    }),
  )
  const submit = () => remove.mutate({ organizationId: organization.id, membershipId: member.id })
  if (member.status === 'invited') {
    return (
      <Confirm
        title="Revoke invitation"
        action="Revoke invitation"
        isBusy={remove.isPending}
        onConfirm={submit}
        onClose={onClose}
      >
        <p>{member.email} can no longer join with this invitation. You can invite the address again.</p>
      </Confirm>
    )
  }
  return (
    <ConfirmByName
      title={isSelf ? 'Leave organization' : 'Remove member'}
      name={isSelf ? organization.name : member.email}
      action={isSelf ? 'Leave organization' : 'Remove member'}
      isBusy={remove.isPending}
      onConfirm={submit}
      onClose={onClose}
    >
      <p>
        {isSelf
          ? 'You lose access to its projects at once, and so do your tokens. Projects that you created stay.'
          : 'The member and the member’s tokens lose access to the projects at once. Projects that the member created stay.'}
      </p>
    </ConfirmByName>
  )
}
