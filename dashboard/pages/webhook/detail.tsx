import { formatCount } from '../../parts/number-text.ts'
import { Facts } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { eventTexts } from '../webhooks/events.ts'
import { Health, healthOf, type Webhook } from '../webhooks/health.tsx'
import { Deliveries } from './deliveries.tsx'
import type { DeliverySearch } from './search.ts'
import '../../styles/form.css'

interface DetailProps {
  webhook: Webhook
  isAdmin: boolean
  search: DeliverySearch
  onSearch: (change: DeliverySearch) => void
}

/** The state of a webhook and its deliveries. */
export function WebhookDetail({ webhook, isAdmin, search, onSearch }: DetailProps) {
  const { advice } = healthOf(webhook)
  return (
    <>
      {advice === null ? undefined : (
        <p className="note-line tone-warn" role="status">
          {advice}
        </p>
      )}
      <Facts
        of={[
          ['Health', <Health key="health" webhook={webhook} />],
          ['Receives events of', webhook.scope === 'project' ? 'this project' : 'all projects of the organization'],
          ['Delivered', formatCount(webhook.deliveryCount)],
          ['Last delivery', <Time key="last" at={webhook.lastDeliveryAt} />],
          webhook.failingSince !== null && ['Failing since', <Time key="failing" at={webhook.failingSince} />],
          webhook.pausedAt !== null && ['Paused', <Time key="paused" at={webhook.pausedAt} />],
          webhook.previousSecretUntil !== null && [
            'Also signed with the previous secret until',
            <Time key="previous" at={webhook.previousSecretUntil} />,
          ],
          ['Created', <Time key="created" at={webhook.createdAt} />],
          [
            'Events',
            <span key="events" className="chips">
              {webhook.events.map((event) => (
                <span key={event} className="chip" title={eventTexts[event]}>
                  {event}
                </span>
              ))}
            </span>,
          ],
        ]}
      />
      <Deliveries webhook={webhook} isAdmin={isAdmin} search={search} onSearch={onSearch} />
    </>
  )
}
