import { client, type Inputs, type Outputs } from '../../api.ts'
import { ShortText } from '../../parts/long-text.tsx'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { absoluteTime } from '../../parts/time-text.ts'
import { browserName } from '../sessions/browser-name.ts'
import { actionTexts } from './actions.ts'
import '../../styles/audit.css'

type Entry = Outputs['auth']['getAuditLogs'][number]
type Filters = NonNullable<Inputs['auth']['getAuditLogs']>

const pageSize = 100
/** A file with more rows is of no use in a spreadsheet. */
const maxExported = 100_000

/** Loads every entry that matches, page by page. Entries that are added meanwhile do not shift the pages. */
async function loadAll(filters: Filters): Promise<Entry[]> {
  const all: Entry[] = []
  while (all.length < maxExported) {
    const page = await client.auth.getAuditLogs.query({ ...filters, limit: pageSize, before: all.at(-1)?.id })
    all.push(...page)
    if (page.length < pageSize) break
  }
  return all
}

export function AuditTable({ rows, filters }: { rows: readonly Entry[]; filters: Filters }) {
  return (
    <Table
      label="Audit log"
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      exportAll={() => loadAll(filters)}
      tone={({ action }) => (action === 'failed_auth' ? 'warn' : undefined)}
    />
  )
}

const detailsOf = ({ metadata }: Entry): [string, string][] =>
  Object.entries(metadata ?? {}).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])

const columns: Column<Entry>[] = [
  {
    id: 'at',
    title: 'Time',
    cell: ({ createdAt }) => <Time at={createdAt} />,
    value: ({ createdAt }) => createdAt,
  },
  {
    id: 'action',
    title: 'Action',
    cell: ({ action }) => (
      <span title={action}>
        {action === 'failed_auth' ? <Status of="failed" text={actionTexts[action]} /> : actionTexts[action]}
      </span>
    ),
    value: ({ action }) => action,
  },
  {
    id: 'who',
    title: 'Done by',
    cell: ({ userName, userEmail, userId }) =>
      userName !== null ? (
        <span title={userEmail ?? undefined}>
          <ShortText text={userName} limit={60} />
        </span>
      ) : (
        <span className="quiet" title={userId ?? undefined}>
          {userId === null ? 'Assay' : 'another user'}
        </span>
      ),
    value: ({ userEmail, userName, userId }) => userEmail ?? userName ?? userId,
  },
  {
    id: 'what',
    title: 'Details',
    cell: (entry) => <Details entry={entry} />,
    value: ({ metadata }) => (metadata === null ? '' : JSON.stringify(metadata)),
  },
  {
    id: 'address',
    title: 'Address',
    minor: true,
    cell: ({ ipAddress }) => (ipAddress === null ? <span className="quiet">–</span> : <code>{ipAddress}</code>),
    value: ({ ipAddress }) => ipAddress,
  },
  {
    id: 'program',
    title: 'Program',
    minor: true,
    cell: ({ userAgent }) =>
      userAgent === null ? (
        <span className="quiet">–</span>
      ) : (
        <span title={userAgent.slice(0, 500)}>
          <ShortText text={browserName(userAgent)} limit={40} />
        </span>
      ),
    value: ({ userAgent }) => userAgent,
  },
]

/** The most telling details in a line, and all of them on demand. */
function Details({ entry }: { entry: Entry }) {
  const details = detailsOf(entry)
  if (details.length === 0) return <span className="quiet">–</span>
  const summary = details.filter(([name]) =>
    ['name', 'email', 'from', 'to', 'role', 'url', 'reason', 'set'].includes(name),
  )
  const shown = (summary.length > 0 ? summary : details).map(([name, value]) => `${name}: ${value}`).join(', ')
  return (
    <details>
      <summary>
        <ShortText text={shown} limit={100} />
      </summary>
      <dl className="detail-list">
        {details.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <ShortText text={value} limit={2_000} />
            </dd>
          </div>
        ))}
        <div>
          <dt>time</dt>
          <dd>{absoluteTime(entry.createdAt)}</dd>
        </div>
      </dl>
    </details>
  )
}
