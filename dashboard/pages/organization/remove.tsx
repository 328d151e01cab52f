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
  const after = (text: string) => ({
    onSuccess: async () => {
      announce(text)
      onClose()
      if (isSelf) await navigate({ to: '/organizations' })
      await queryClient.invalidateQueries(trpc.organizations.pathFilter())
    },
    onError: onClose,
  })
  const revoke = useMutation(
    trpc.organizations.revokeInvitation.mutationOptions(after(`${member.email} is no longer invited.`)),
  )
  const remove = useMutation(
    trpc.organizations.removeMember.mutationOptions(after(`${member.email} is no longer a member.`)),
  )
  const leave = useMutation(trpc.organizations.leave.mutationOptions(after(`You left ${organization.name}.`)))
  const isBusy = revoke.isPending || remove.isPending || leave.isPending
  const organizationId = organization.id
  if (member.status === 'invited') {
    return (
      <Confirm
        title="Revoke invitation"
        action="Revoke invitation"
        isBusy={isBusy}
        onConfirm={() => revoke.mutate({ organizationId, invitationId: member.id })}
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
      isBusy={isBusy}
      onConfirm={() =>
        isSelf ? leave.mutate({ organizationId }) : remove.mutate({ organizationId, membershipId: member.id })
      }
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
