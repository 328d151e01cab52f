import { useQuery } from '@tanstack/react-query'
import { type Outputs, trpc } from '../../api.ts'
import { Filters, SelectField } from '../../parts/filters.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty, Section } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { lookOf, Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { eventTypes } from '../webhooks/events.ts'
import type { Webhook } from '../webhooks/health.tsx'
import { DeliveryDialog } from './delivery.tsx'
import { Recover } from './recover.tsx'
import { type DeliverySearch, deliveryStatuses } from './search.ts'

type Delivery = Outputs['webhooks']['deliveries']['deliveries'][number]

const limit = 50

interface DeliveriesProps {
  webhook: Webhook
  isAdmin: boolean
  search: DeliverySearch
  onSearch: (change: DeliverySearch) => void
}

/** The deliveries of a webhook, newest first. The page follows those that have not ended. */
export function Deliveries({ webhook, isAdmin, search, onSearch }: DeliveriesProps) {
  const { status, offset = 0, delivery } = search
  const event = eventTypes.find((each) => each === search.event)
  const input = { webhookId: webhook.id, status, event, limit, offset }
  const deliveries = useQuery(
    trpc.webhooks.deliveries.queryOptions(input, {
      placeholderData: (before) => before,
      refetchInterval: ({ state }) => (state.data?.deliveries.some(isUnended) ? 3_000 : 15_000),
    }),
  )
  const isFiltered = status !== undefined || event !== undefined
  return (
    <Section title="Deliveries" actions={isAdmin ? <Recover webhook={webhook} /> : undefined}>
      <Filters>
        <SelectField
          label="Status"
          value={status}
          options={deliveryStatuses.map((each) => [each, lookOf(each).text] as const)}
          onChange={(value) => onSearch({ status: deliveryStatuses.find((each) => each === value), offset: undefined })}
        />
        <SelectField
          label="Event"
          value={event}
          options={eventTypes.map((each) => [each, each] as const)}
          onChange={(value) => onSearch({ event: value, offset: undefined })}
        />
      </Filters>
      <Loaded query={deliveries}>
        {({ deliveries: found, pagination }) =>
          found.length === 0 ? (
            <Empty title={isFiltered ? 'No deliveries match' : 'No deliveries yet'}>
              <p>
                {isFiltered
                  ? 'Choose another status or event.'
                  : 'A delivery appears when one of the events happens, or when you send a test event.'}
              </p>
            </Empty>
          ) : (
            <>
              <Table
                label="Deliveries of the webhook"
                columns={columnsFor((id) => onSearch({ delivery: id }))}
                rows={found}
                rowKey={({ id }) => id}
                tone={(row) => (row.status === 'failed' ? 'bad' : undefined)}
              />
              <Pager {...pagination} onMove={(next) => onSearch({ offset: next === 0 ? undefined : next })} />
            </>
          )
        }
      </Loaded>
      {delivery === undefined ? undefined : (
        <DeliveryDialog deliveryId={delivery} mayReplay={isAdmin} onClose={() => onSearch({ delivery: undefined })} />
      )}
    </Section>
  )
}

const isUnended = ({ status }: Delivery) => status === 'pending' || status === 'in_flight'

export const causeTexts = { scheduled: 'event', manual: 'replay', test: 'test' } as const

const columnsFor = (onOpen: (id: string) => void): Column<Delivery>[] => [
  {
    id: 'event',
    title: 'Event',
    cell: ({ id, event }) => (
      <button type="button" className="link" onClick={() => onOpen(id)}>
        {event}
        <span className="visually-hidden"> {id}</span>
      </button>
    ),
    value: ({ event }) => event,
  },
  {
    id: 'status',
    title: 'Status',
    cell: ({ status }) => <Status of={status} text={status === 'pending' ? 'Waiting' : undefined} />,
    value: ({ status }) => status,
  },
  {
    id: 'answer',
    title: 'Answer',
    cell: ({ responseStatus, error }) => (
      <>
        {responseStatus === null ? undefined : <span className="number">{responseStatus} </span>}
        {error === null ? undefined : (
          <span className="quiet">
            <ShortText text={error} />
          </span>
        )}
      </>
    ),
    value: ({ responseStatus, error }) => error ?? responseStatus,
  },
  {
    id: 'attempts',
    title: 'Attempts',
    align: 'right',
    minor: true,
    cell: ({ attemptCount }) => attemptCount,
    value: ({ attemptCount }) => attemptCount,
  },
  {
    id: 'next',
    title: 'Next attempt',
    minor: true,
    cell: ({ nextRetryAt }) => (nextRetryAt ? <Time at={nextRetryAt} /> : <span className="quiet">–</span>),
    value: ({ nextRetryAt }) => nextRetryAt,
  },
  {
    id: 'trigger',
    title: 'Cause',
    minor: true,
    cell: ({ trigger }) => <span className="nowrap">{causeTexts[trigger]}</span>,
    value: ({ trigger }) => trigger,
  },
  {
    id: 'created',
    title: 'Created',
    cell: ({ createdAt }) => <Time at={createdAt} />,
    value: ({ createdAt }) => createdAt,
  },
  {
    id: 'id',
    title: 'Id',
    minor: true,
    cell: ({ id }) => (
      <code className="quiet nowrap" title={id}>
        …{id.slice(-6)}
      </code>
    ),
    value: ({ id }) => id,
  },
]
