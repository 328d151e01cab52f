import { useQuery } from '@tanstack/react-query'
import { trpc } from '../../api.ts'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time, useNow } from '../../parts/time.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { presetOf, presets, scopes, scopeTexts } from './scopes.ts'
import { stateOf, type Token } from './token.ts'
import '../../styles/tokens.css'

const states = {
  valid: { of: 'active', text: 'Valid' },
  expired: { of: 'outdated', text: 'Expired' },
  revoked: { of: 'cancelled', text: 'Revoked' },
}

/** A token that expires within a week is marked. */
const soonMs = 7 * 86_400_000

export function TokenTable({ tokens, onRevoke }: { tokens: readonly Token[]; onRevoke: (token: Token) => void }) {
  const now = useNow()
  const restrictionOf = useRestrictions()
  const expiresSoon = (token: Token) => stateOf(token, now) === 'valid' && Date.parse(token.expiresAt) - now < soonMs
  const columns: Column<Token>[] = [
    {
      id: 'name',
      title: 'Name',
      cell: ({ name, lastFour }) => (
        <>
          <ShortText text={name} /> <code className="quiet">…{lastFour}</code>
        </>
      ),
      value: ({ name }) => name,
    },
    {
      id: 'state',
      title: 'State',
      minor: true,
      cell: (token) => <Status {...states[stateOf(token, now)]} />,
      value: (token) => stateOf(token, now),
    },
    {
      id: 'scopes',
      title: 'Scopes',
      minor: true,
      cell: (token) => <Scopes token={token} />,
      value: (token) => token.scopes.join(' '),
    },
    { id: 'restriction', title: 'Restricted to', minor: true, cell: restrictionOf, value: restrictionOf },
    {
      id: 'used',
      title: 'Last used',
      cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />,
      value: ({ lastUsedAt }) => lastUsedAt,
    },
    {
      id: 'expires',
      title: 'Expires',
      minor: true,
      cell: (token) => (
        <span className={expiresSoon(token) ? 'tone-warn' : undefined}>
          <Time at={token.expiresAt} />
        </span>
      ),
      value: ({ expiresAt }) => expiresAt,
    },
    {
      id: 'revoke',
      title: 'Action',
      align: 'right',
      cell: (token) =>
        token.revokedAt ? undefined : (
          <button type="button" className="plain" onClick={() => onRevoke(token)}>
            Revoke<span className="visually-hidden"> {token.name}</span>
          </button>
        ),
    },
  ]
  return (
    <Table
      label="Tokens"
      columns={columns}
      rows={tokens}
      rowKey={({ id }) => id}
      tone={(token) => (expiresSoon(token) ? 'warn' : undefined)}
    />
  )
}

function Scopes({ token }: { token: Token }) {
  const preset = presetOf(token.scopes)
  const summary =
    token.scopes.length === scopes.length
      ? 'All scopes'
      : preset
        ? presets[preset].text
        : `${token.scopes.length} scopes`
  return (
    <details>
      <summary>{summary}</summary>
      <ul className="scope-list">
        {token.scopes.map((scope) => (
          <li key={scope}>
            <code>{scope}</code> <span className="hint">{scopeTexts[scope]}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Returns a function that names what a token is restricted to. */
function useRestrictions(): (token: Token) => string {
  const projects = useQuery(trpc.projects.getProjects.queryOptions(undefined, { staleTime: 30_000 }))
  const organizations = useQuery(trpc.organizations.list.queryOptions(undefined, { staleTime: 30_000 }))
  return ({ projectId, organizationId }) => {
    if (projectId) return `Project ${projects.data?.find(({ id }) => id === projectId)?.name ?? projectId}`
    if (!organizationId) return 'Nothing'
    return `Organization ${organizations.data?.find(({ id }) => id === organizationId)?.name ?? organizationId}`
  }
}
