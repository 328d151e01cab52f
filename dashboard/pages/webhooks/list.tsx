import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { trpc } from '../../api.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { plural } from '../../parts/number-text.ts'
import { Count } from '../../parts/numbers.tsx'
import { Empty } from '../../parts/page.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import type { Place } from './create.tsx'
import { Health, healthOf, type Webhook } from './health.tsx'

interface ListProps {
  place: Place
  /** Wraps the URL of a webhook in a link to its page. */
  link: (webhook: Webhook, text: ReactNode) => ReactNode
  /** Opens the form for a new webhook; missing if the user may not. */
  createLink: ReactNode
}

/** The webhooks of a project or organization and whether they deliver. */
export function WebhookList({ place, link, createLink }: ListProps) {
  const webhooks = useQuery(trpc.webhooks.list.queryOptions(place, { refetchInterval: 15_000 }))
  return (
    <Loaded query={webhooks}>
      {({ webhooks: found }) =>
        found.length === 0 ? (
          <Empty title="No webhooks">
            <p>
              A webhook tells your systems when something happens: Assay POSTs a signed JSON document, and retries until
              your server accepts it.
            </p>
            {createLink}
          </Empty>
        ) : (
          <>
            <p className="table-note" role="status">
              {summaryOf(found)}
            </p>
            <Table
              label="Webhooks"
              columns={columnsFor(link)}
              rows={found}
              rowKey={({ id }) => id}
              tone={(webhook) => toneOf(webhook)}
            />
          </>
        )
      }
    </Loaded>
  )
}

function toneOf(webhook: Webhook): 'bad' | 'warn' | undefined {
  const { status } = healthOf(webhook)
  if (status === 'failing' || status === 'disabled') return 'bad'
  return status === 'paused' ? 'warn' : undefined
}

function summaryOf(webhooks: readonly Webhook[]): string {
  const failing = webhooks.filter((webhook) => toneOf(webhook) === 'bad').length
  const paused = webhooks.filter((webhook) => toneOf(webhook) === 'warn').length
  if (failing === 0 && paused === 0) return 'No webhook is failing.'
  const parts = [
    failing > 0 ? `${plural(failing, 'webhook')} ${failing === 1 ? 'needs' : 'need'} attention` : '',
    paused > 0 ? `${paused} paused` : '',
  ]
  return `${parts.filter(Boolean).join(', ')}.`
}

const columnsFor = (link: ListProps['link']): Column<Webhook>[] => [
  {
    id: 'url',
    title: 'URL',
    cell: (webhook) => (
      <>
        {link(webhook, webhook.url)}
        {webhook.description ? (
          <div className="hint">
            <ShortText text={webhook.description} />
          </div>
        ) : undefined}
      </>
    ),
    value: ({ url }) => url,
  },
  {
    id: 'health',
    title: 'Health',
    cell: (webhook) => <Health webhook={webhook} />,
    value: (webhook) => healthOf(webhook).text,
  },
  {
    id: 'scope',
    title: 'For',
    minor: true,
    cell: ({ scope }) => <span className="nowrap">{scope === 'project' ? 'This project' : 'All projects'}</span>,
    value: ({ scope }) => scope,
  },
  {
    id: 'events',
    title: 'Events',
    minor: true,
    cell: ({ events }) => (
      <span className="chips">
        {events.slice(0, 3).map((event) => (
          <span key={event} className="chip">
            {event}
          </span>
        ))}
        {events.length > 3 ? (
          <span className="chip" title={events.slice(3).join(', ')}>
            {events.length - 3} more
          </span>
        ) : undefined}
      </span>
    ),
    value: ({ events }) => events.join(' '),
  },
  {
    id: 'count',
    title: 'Delivered',
    align: 'right',
    minor: true,
    cell: ({ deliveryCount }) => <Count of={deliveryCount} />,
    value: ({ deliveryCount }) => deliveryCount,
  },
  {
    id: 'last',
    title: 'Last delivery',
    cell: ({ lastDeliveryAt }) => <Time at={lastDeliveryAt} />,
    value: ({ lastDeliveryAt }) => lastDeliveryAt,
  },
]
