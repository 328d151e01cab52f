import { Link } from '@tanstack/react-router'
import { VariantTag } from '../../parts/health.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { plural } from '../../parts/number-text.ts'
import {
  IssueLink,
  type Quarantine,
  QuarantineActions,
  type QuarantineRights,
} from '../../parts/quarantine-actions.tsx'
import { Status } from '../../parts/status.tsx'
import type { Column } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { Who } from '../../parts/who.tsx'
import { modeTexts, variantParam } from '../../parts/test-names.ts'
import { placeOf } from './columns.tsx'

type NameOf = (userId: string) => string | undefined
type Columns = Column<Quarantine>[]

const testColumn = (projectId: string): Column<Quarantine> => ({
  id: 'test',
  title: 'Test',
  cell: (quarantine) => (
    <span className="test-name">
      <Link
        to="/projects/$projectId/tests/$testId"
        params={{ projectId, testId: quarantine.testId }}
        search={quarantine.variant === null ? {} : { variant: variantParam(quarantine.variant) }}
        preload={false}
      >
        <ShortText text={quarantine.name} limit={200} />
      </Link>{' '}
      <VariantTag of={quarantine.variant} />
      <span className="quiet test-place">
        <ShortText text={placeOf(quarantine)} limit={160} />
      </span>
    </span>
  ),
  value: ({ suite, name, variant }) => [suite, name, variant ?? ''].filter((part) => part !== '').join(' > '),
})

const modeColumn: Column<Quarantine> = {
  id: 'mode',
  title: 'Mode',
  cell: ({ mode, automatic }) => (
    <span className="two-lines">
      <Status of="muted" text={modeTexts[mode]} />
      {automatic ? <span className="quiet">by Assay</span> : undefined}
    </span>
  ),
  value: ({ mode }) => mode,
}

const reasonColumn: Column<Quarantine> = {
  id: 'reason',
  title: 'Reason',
  cell: ({ reason }) => (
    <span className="said">
      <ShortText text={reason} limit={300} />
    </span>
  ),
  value: ({ reason }) => reason,
}

const ownerColumn: Column<Quarantine> = {
  id: 'owner',
  title: 'Owner, issue',
  cell: ({ owner, issueUrl }) => (
    <span className="two-lines said">
      {owner === null ? undefined : <ShortText text={owner} limit={60} />}
      {issueUrl === null && owner !== null ? undefined : <IssueLink url={issueUrl} />}
    </span>
  ),
  value: ({ owner, issueUrl }) => [owner ?? '', issueUrl ?? ''].filter((part) => part !== '').join(' '),
}

const requestedColumn = (nameOf: NameOf): Column<Quarantine> => ({
  id: 'requested',
  title: 'Requested',
  cell: ({ requestedAt, requestedBy }) => (
    <span className="two-lines">
      <Time at={requestedAt} />
      {requestedBy === null ? undefined : (
        <span className="quiet">
          by <Who name={nameOf(requestedBy)} />
        </span>
      )}
    </span>
  ),
  value: ({ requestedAt }) => requestedAt,
})

const actionColumn = (rights: QuarantineRights): Column<Quarantine> => ({
  id: 'action',
  title: 'Action',
  align: 'right',
  cell: (quarantine) => <QuarantineActions quarantine={quarantine} rights={rights} />,
})

/** Those who may do nothing get no column for it. */
const actionColumns = (rights: QuarantineRights): Columns =>
  rights.mayRequest || rights.mayGrant ? [actionColumn(rights)] : []

export const requestColumns = (projectId: string, nameOf: NameOf, rights: QuarantineRights): Columns => [
  testColumn(projectId),
  modeColumn,
  reasonColumn,
  ownerColumn,
  requestedColumn(nameOf),
  {
    id: 'days',
    title: 'For',
    align: 'right',
    cell: ({ days }) => <span className="nowrap">{plural(days, 'day')}</span>,
    value: ({ days }) => days,
  },
  ...actionColumns(rights),
]

export const activeColumns = (projectId: string, rights: QuarantineRights): Columns => [
  testColumn(projectId),
  modeColumn,
  reasonColumn,
  ownerColumn,
  {
    id: 'ends',
    title: 'Ends',
    cell: ({ decidedAt, expiresAt }) => (
      <span className="two-lines">
        <Time at={expiresAt} />
        <span className="quiet">
          since <Time at={decidedAt} />
        </span>
      </span>
    ),
    value: ({ expiresAt }) => expiresAt,
  },
  ...actionColumns(rights),
]

export const endedColumns = (projectId: string, nameOf: NameOf): Columns => [
  testColumn(projectId),
  modeColumn,
  reasonColumn,
  ownerColumn,
  requestedColumn(nameOf),
  {
    id: 'ended',
    title: 'Ended',
    cell: ({ endedAt, endedBy }) => (
      <span className="two-lines">
        <Time at={endedAt} />
        {endedBy === null ? undefined : (
          <span className="quiet">
            by <Who name={nameOf(endedBy)} />
          </span>
        )}
      </span>
    ),
    value: ({ endedAt }) => endedAt,
  },
  {
    id: 'why',
    title: 'Why it ended',
    cell: ({ endReason }) =>
      endReason === null ? (
        <span className="quiet">–</span>
      ) : (
        <span className="said">
          <ShortText text={endReason} limit={300} />
        </span>
      ),
    value: ({ endReason }) => endReason,
  },
]
