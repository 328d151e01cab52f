import { useQuery } from '@tanstack/react-query'
import { trpc } from '../../api.ts'
import { Filters, SelectField } from '../../parts/filters.tsx'
import { actions, actionTexts } from './actions.ts'
import type { AuditSearch } from './search.ts'

interface FiltersProps {
  search: AuditSearch
  onChange: (change: AuditSearch) => void
}

export function AuditFilters({ search, onChange }: FiltersProps) {
  const me = useQuery(trpc.auth.getProfile.queryOptions(undefined, { staleTime: 60_000 }))
  const organizations = useQuery(trpc.organizations.list.queryOptions(undefined, { staleTime: 30_000 }))
  const members = useQuery(
    trpc.organizations.getMembers.queryOptions(
      { organizationId: search.organization ?? '' },
      { enabled: search.organization !== undefined, staleTime: 30_000 },
    ),
  )
  const users = new Map(me.data ? [[me.data.id, 'You']] : [])
  for (const { userId, name, email } of members.data ?? []) {
    if (userId !== null && !users.has(userId)) users.set(userId, name ?? email)
  }
  if (search.user !== undefined && !users.has(search.user)) users.set(search.user, search.user)
  return (
    <Filters>
      <SelectField
        label="Action"
        value={search.action}
        options={actions.map((each) => [each, actionTexts[each]] as const)}
        onChange={(action) => onChange({ action })}
      />
      <SelectField
        label="Organization"
        value={search.organization}
        options={(organizations.data ?? []).map(({ id, name }) => [id, name] as const)}
        onChange={(organization) => onChange({ organization, user: undefined })}
      />
      <SelectField
        label="Done by"
        any="Everyone"
        value={search.user}
        options={[...users]}
        onChange={(user) => onChange({ user })}
      />
      <DayField label="From" value={search.since} onChange={(since) => onChange({ since })} />
      <DayField label="To" value={search.until} onChange={(until) => onChange({ until })} />
    </Filters>
  )
}

interface DayProps {
  label: string
  value: string | undefined
  onChange: (value: string | undefined) => void
}

function DayField({ label, value, onChange }: DayProps) {
  return (
    <label className="filter">
      <span>{label}</span>
      <input type="date" value={value ?? ''} onChange={(event) => onChange(event.target.value || undefined)} />
    </label>
  )
}
