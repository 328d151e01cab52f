import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { Filters, SelectField } from '../../parts/filters.tsx'
import { optionsOf } from '../../parts/judged.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty, Section } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import {
  type Quarantine,
  type QuarantineRights,
  RightsHint,
  useQuarantineRights,
} from '../../parts/quarantine-actions.tsx'
import { Table } from '../../parts/table.tsx'
import { useNow } from '../../parts/time.tsx'
import { useNames } from '../../parts/who.tsx'
import { endedStatuses, pageSize } from './input.ts'
import { activeColumns, endedColumns, requestColumns } from './quarantine-columns.tsx'

const route = getRouteApi('/projects/$projectId/tests')

/** Which failures do not decide, until when and why, and who asks for more of that. */
export function QuarantineTab({ projectId }: { projectId: string }) {
  const { status } = route.useSearch()
  const navigate = route.useNavigate()
  const rights = useQuarantineRights(projectId)
  const show = (value: string | undefined) =>
    void navigate({
      search: (old) => ({ ...old, offset: undefined, status: endedStatuses.find((each) => each === value) }),
      replace: true,
    })
  return (
    <>
      <Filters>
        <SelectField
          label="Status"
          any="Requested and active"
          value={status}
          options={optionsOf(endedStatuses)}
          onChange={show}
        />
      </Filters>
      {status === undefined ? (
        <>
          <RightsHint rights={rights} />
          <List projectId={projectId} status="requested" rights={rights} />
          <List projectId={projectId} status="active" rights={rights} />
        </>
      ) : (
        <List projectId={projectId} status={status} rights={rights} />
      )}
    </>
  )
}

const titles: Record<Quarantine['status'], string> = {
  requested: 'Requests',
  active: 'In quarantine',
  rejected: 'Rejected requests',
  released: 'Released',
  expired: 'Expired',
}

interface ListProps {
  projectId: string
  status: Quarantine['status']
  rights: QuarantineRights
}

function List({ projectId, status, rights }: ListProps) {
  const { offset = 0, requests = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const nameOf = useNames(projectId)
  const now = useNow()
  const isRequests = status === 'requested'
  const from = isRequests ? requests : offset
  const query = useQuery(
    trpc.quarantine.list.queryOptions(
      { projectId, status, limit: pageSize, offset: from },
      { placeholderData: keepPreviousData },
    ),
  )
  const columns = {
    requested: requestColumns(projectId, nameOf, rights),
    active: activeColumns(projectId, rights),
  }
  return (
    <Section title={titles[status]}>
      <Loaded query={query}>
        {({ quarantines, pagination }) =>
          quarantines.length === 0 ? (
            <None status={status} />
          ) : (
            <>
              <Table
                label={titles[status]}
                columns={
                  status === 'requested' || status === 'active' ? columns[status] : endedColumns(projectId, nameOf)
                }
                rows={quarantines}
                rowKey={({ id }) => id}
                tone={(quarantine) => (endsSoon(quarantine, now) ? 'warn' : undefined)}
              />
              <Pager
                total={pagination.total}
                limit={pageSize}
                offset={from}
                onMove={(next) =>
                  void navigate({
                    search: (old) => ({ ...old, [isRequests ? 'requests' : 'offset']: next || undefined }),
                  })
                }
              />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function None({ status }: { status: Quarantine['status'] }) {
  if (status === 'requested') return <p className="quiet">No request waits.</p>
  if (status !== 'active') return <p className="quiet">None.</p>
  return (
    <Empty title="No test is in quarantine">
      <p>
        A test in quarantine still runs, but its failures do not decide whether a run fails. Open a flaky test and
        request quarantine for it. Each one has an end, so that nothing is forgotten.
      </p>
    </Empty>
  )
}

const soonMs = 3 * 86_400_000

/** Whether it ends within three days, as the event `quarantine.expiring` says. */
const endsSoon = ({ status, expiresAt }: Quarantine, now: number) =>
  status === 'active' && expiresAt !== null && Date.parse(expiresAt) - now < soonMs
