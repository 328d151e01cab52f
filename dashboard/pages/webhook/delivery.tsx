import { useMutation, useQuery } from '@tanstack/react-query'
import { type Outputs, queryClient, trpc } from '../../api.ts'
import { Copy } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { Facts } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Duration, Time } from '../../parts/time.tsx'
import { announce } from '../../shell/notices.ts'

export type DeliveryDetail = Outputs['webhooks']['getDelivery']['delivery']
type Attempt = DeliveryDetail['attempts'][number]

interface DialogProps {
  deliveryId: string
  mayReplay: boolean
  onClose: () => void
}

/** A delivery in a dialog. It is followed until it has ended. */
export function DeliveryDialog({ deliveryId, mayReplay, onClose }: DialogProps) {
  const delivery = useQuery(
    trpc.webhooks.getDelivery.queryOptions(
      { deliveryId },
      {
        refetchInterval: ({ state }) =>
          ['pending', 'in_flight'].includes(state.data?.delivery.status ?? '') ? 2_000 : false,
      },
    ),
  )
  const replay = useMutation(
    trpc.webhooks.retryDelivery.mutationOptions({
      onSuccess: async () => {
        announce('The delivery will be sent again.')
        await queryClient.invalidateQueries(trpc.webhooks.pathFilter())
      },
    }),
  )
  return (
    <Dialog title="Delivery" onClose={onClose} wide>
      <Loaded query={delivery}>
        {({ delivery: found }) => (
          <>
            <DeliveryView delivery={found} />
            {mayReplay ? (
              <div className="row">
                <button type="button" disabled={replay.isPending} onClick={() => replay.mutate({ deliveryId })}>
                  Send again
                </button>
                <span className="hint">The same body is sent at once, even if the delivery succeeded.</span>
              </div>
            ) : undefined}
          </>
        )}
      </Loaded>
    </Dialog>
  )
}

/** What was sent, and what the receiver answered to each attempt. */
export function DeliveryView({ delivery }: { delivery: DeliveryDetail }) {
  const payload = JSON.stringify(delivery.payload, null, 2)
  return (
    <>
      <div aria-live="polite">
        <Facts
          of={[
            ['Status', <Status key="status" of={delivery.status} />],
            ['Event', <code key="event">{delivery.event}</code>],
            ['Created', <Time key="created" at={delivery.createdAt} />],
            delivery.deliveredAt !== null && ['Delivered', <Time key="delivered" at={delivery.deliveredAt} />],
            delivery.nextRetryAt !== null && ['Next attempt', <Time key="next" at={delivery.nextRetryAt} />],
            ['Id', <code key="id">{delivery.id}</code>],
          ]}
        />
      </div>
      <div className="stack">
        <h3>Attempts</h3>
        {delivery.attempts.length === 0 ? (
          <p className="quiet">Not sent yet.</p>
        ) : (
          <Table
            label="Attempts"
            columns={attemptColumns}
            rows={delivery.attempts}
            rowKey={({ number }) => String(number)}
          />
        )}
      </div>
      <div className="stack">
        <h3>Last answer of the receiver</h3>
        {delivery.responseBody ? (
          <LongText text={delivery.responseBody} label="Body of the answer" />
        ) : (
          <p className="quiet">No body.</p>
        )}
      </div>
      <div className="stack">
        <div className="row">
          <h3>What was sent</h3>
          <Copy text={payload} />
        </div>
        <LongText text={payload} label="Body of the delivery" />
      </div>
    </>
  )
}

const isSuccess = (status: number | null) => status !== null && status >= 200 && status < 300

const attemptColumns: Column<Attempt>[] = [
  { id: 'number', title: '#', align: 'right', cell: ({ number }) => number, value: ({ number }) => number },
  {
    id: 'answer',
    title: 'Answer',
    cell: ({ responseStatus, error }) => (
      <>
        <Status
          of={error === null && isSuccess(responseStatus) ? 'succeeded' : 'failed'}
          text={responseStatus === null ? 'No answer' : String(responseStatus)}
        />
        {error === null ? undefined : <div className="hint">{error}</div>}
      </>
    ),
    value: ({ responseStatus, error }) => error ?? responseStatus,
  },
  {
    id: 'took',
    title: 'Took',
    align: 'right',
    cell: ({ durationMs }) => <Duration ms={durationMs} />,
    value: ({ durationMs }) => durationMs,
  },
  {
    id: 'address',
    title: 'Address',
    minor: true,
    cell: ({ address }) => <code>{address ?? '–'}</code>,
    value: ({ address }) => address,
  },
  { id: 'trigger', title: 'Cause', minor: true, cell: ({ trigger }) => trigger, value: ({ trigger }) => trigger },
  {
    id: 'started',
    title: 'Started',
    cell: ({ startedAt }) => <Time at={startedAt} />,
    value: ({ startedAt }) => startedAt,
  },
]
