import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient, trpc } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { CheckField, Form, TextField } from '../../parts/form.tsx'
import { isAtLeast, roles, roleTexts } from '../../parts/roles.ts'
import { announce } from '../../shell/notices.ts'
import type { Organization } from './tabs.ts'

export function InviteMember({ organization, onClose }: { organization: Organization; onClose: () => void }) {
  const [email, setEmail] = useState('')
  const offered = roles.filter((role) => isAtLeast(organization.role, role))
  const [role, setRole] = useState<(typeof roles)[number]>('member')
  const { data: system } = useQuery(trpc.system.status.queryOptions(undefined, { staleTime: 60_000 }))
  const sendsMail = system?.sendsMail !== false
  const others = sendsMail
    ? 'Others get a mail that explains how to join.'
    : 'This server sends no mail (SMTP_URL is not set): its operator finds the mail for others in the log.'
  const next = sendsMail ? 'A mail explains how to join.' : 'The server sends no mail: find it in the log.'
  const invite = useMutation(
    trpc.organizations.inviteMember.mutationOptions({
      onSuccess: async (member) => {
        announce(
          member.status === 'active' ? `${member.email} is now a member.` : `${member.email} was invited. ${next}`,
        )
        onClose()
        await queryClient.invalidateQueries(trpc.organizations.pathFilter())
      },
    }),
  )
  return (
    <Dialog title="Invite" onClose={onClose} isKept>
      <Form onSubmit={() => invite.mutate({ organizationId: organization.id, userToInviteEmail: email, role })}>
        <TextField
          label="E-mail address"
          type="email"
          hint={`A user with this confirmed address becomes a member at once. ${others}`}
          value={email}
          onChange={setEmail}
          required
          maxLength={320}
        />
        <fieldset className="checks">
          <legend>Role</legend>
          {offered.map((each) => (
            <CheckField
              key={each}
              type="radio"
              name="role"
              label={each}
              hint={roleTexts[each]}
              checked={role === each}
              onChange={() => setRole(each)}
            />
          ))}
        </fieldset>
        <div className="row">
          <button type="submit" disabled={invite.isPending || email === ''}>
            Invite
          </button>
          <button type="button" className="plain" onClick={onClose}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  )
}
