import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { queryClient, trpc } from '../../api.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { plural } from '../../parts/number-text.ts'
import { isAtLeast, roles, roleTexts } from '../../parts/roles.ts'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { announce } from '../../shell/notices.ts'
import { InviteMember } from './invite.tsx'
import { RemoveMember } from './remove.tsx'
import type { Member } from './member.ts'
import type { Organization } from './tabs.ts'

const route = getRouteApi('/organizations/$slug')

/** Who belongs to the organization, with which role, and who is invited. */
export function MembersTab({ organization }: { organization: Organization }) {
  const { slug } = route.useParams()
  const { create } = route.useSearch()
  const navigate = route.useNavigate()
  const members = useQuery(trpc.organizations.getMembers.queryOptions({ organizationId: organization.id }))
  const me = useQuery(trpc.auth.getProfile.queryOptions(undefined, { staleTime: 60_000 }))
  const [removing, setRemoving] = useState<Member>()
  const isAdmin = isAtLeast(organization.role, 'admin')
  return (
    <>
      <Loaded query={members}>
        {(found) => (
          <>
            <div className="section-head">
              <p className="table-note">{summaryOf(found)}</p>
              {isAdmin ? (
                <Link
                  className="button"
                  to="/organizations/$slug"
                  params={{ slug }}
                  search={{ tab: 'members', create: true }}
                >
                  Invite
                </Link>
              ) : undefined}
            </div>
            <Table
              label="Members"
              columns={columnsFor(organization, me.data?.id, setRemoving)}
              rows={found}
              rowKey={({ id }) => id}
            />
          </>
        )}
      </Loaded>
      <RoleList />
      {create && isAdmin ? (
        <InviteMember
          organization={organization}
          onClose={() => void navigate({ search: { tab: 'members' }, replace: true })}
        />
      ) : undefined}
      {removing ? (
        <RemoveMember
          organization={organization}
          member={removing}
          isSelf={removing.userId === me.data?.id}
          onClose={() => setRemoving(undefined)}
        />
      ) : undefined}
    </>
  )
}

function summaryOf(members: readonly Member[]): string {
  const invited = members.filter(({ status }) => status === 'invited').length
  const text = plural(members.length - invited, 'member')
  return invited === 0 ? text : `${text}, ${plural(invited, 'open invitation')}`
}

/** What each role may do. */
function RoleList() {
  return (
    <details className="section">
      <summary>What each role may do</summary>
      <dl className="role-list">
        {roles.map((role) => (
          <div key={role}>
            <dt>{role}</dt>
            <dd>{roleTexts[role]}</dd>
          </div>
        ))}
      </dl>
      <p className="hint">Each role may also do what the roles before it may do.</p>
    </details>
  )
}

function RoleField({ organization, member }: { organization: Organization; member: Member }) {
  const update = useMutation(
    trpc.organizations.updateMemberRole.mutationOptions({
      onSuccess: async ({ email, role }) => {
        announce(`${email} now has the role ${role}.`)
        await queryClient.invalidateQueries(trpc.organizations.pathFilter())
      },
    }),
  )
  const offered = roles.filter((role) => isAtLeast(organization.role, role))
  if (!isAtLeast(organization.role, 'admin') || !isAtLeast(organization.role, member.role)) return member.role
  return (
    <select
      aria-label={`Role of ${member.email}`}
      value={update.isPending ? update.variables.role : member.role}
      disabled={update.isPending}
      onChange={({ target }) => {
        const role = offered.find((each) => each === target.value)
        if (role) update.mutate({ organizationId: organization.id, membershipId: member.id, role })
      }}
    >
      {offered.map((role) => (
        <option key={role} value={role} title={roleTexts[role]}>
          {role}
        </option>
      ))}
    </select>
  )
}

/** Sends the mail of an invitation again. */
function Resend({ organization, member }: { organization: Organization; member: Member }) {
  const resend = useMutation(
    trpc.organizations.resendInvitation.mutationOptions({
      onSuccess: ({ email }) => announce(`The invitation was sent to ${email} again.`),
    }),
  )
  return (
    <button
      type="button"
      className="plain"
      disabled={resend.isPending}
      onClick={() => resend.mutate({ organizationId: organization.id, invitationId: member.id })}
    >
      Resend<span className="visually-hidden"> {member.email}</span>
    </button>
  )
}

function columnsFor(
  organization: Organization,
  ownId: string | undefined,
  onRemove: (member: Member) => void,
): Column<Member>[] {
  const mayRemove = ({ role, userId }: Member) =>
    userId === ownId || (isAtLeast(organization.role, 'admin') && isAtLeast(organization.role, role))
  return [
    {
      id: 'name',
      title: 'Member',
      cell: ({ name, email, userId }) => (
        <>
          <ShortText text={name ?? email} />{' '}
          {userId !== null && userId === ownId ? <span className="chip">you</span> : undefined}
          {name === null ? undefined : <div className="hint">{email}</div>}
        </>
      ),
      value: ({ name, email }) => (name === null ? email : `${name} <${email}>`),
    },
    {
      id: 'status',
      title: 'Status',
      minor: true,
      cell: ({ status }) => <Status of={status} text={status === 'active' ? 'Member' : 'Invited'} />,
      value: ({ status }) => status,
    },
    {
      id: 'role',
      title: 'Role',
      cell: (member) => <RoleField organization={organization} member={member} />,
      value: ({ role }) => role,
    },
    {
      id: 'since',
      title: 'Since',
      minor: true,
      cell: ({ createdAt }) => <Time at={createdAt} />,
      value: ({ createdAt }) => createdAt,
    },
    {
      id: 'action',
      title: 'Action',
      align: 'right',
      cell: (member) =>
        mayRemove(member) ? (
          <span className="actions">
            {member.status === 'invited' ? <Resend organization={organization} member={member} /> : undefined}
            <button type="button" className="plain" onClick={() => onRemove(member)}>
              {member.userId === ownId ? 'Leave' : member.status === 'invited' ? 'Revoke' : 'Remove'}
              <span className="visually-hidden"> {member.email}</span>
            </button>
          </span>
        ) : undefined,
    },
  ]
}
