import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { queryClient, trpc } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Problem } from '../../parts/loaded.tsx'
import { Status } from '../../parts/status.tsx'
import type { ControlProps } from './control-props.ts'
import { DeliveryView } from './delivery.tsx'

/** Sends a test event when it opens, and shows how the receiver answered. */
export function TestEvent({ webhook, onClose }: ControlProps) {
  const test = useMutation(
    trpc.webhooks.test.mutationOptions({
      meta: { isShown: true },
      onSuccess: () => queryClient.invalidateQueries(trpc.webhooks.pathFilter()),
    }),
  )
  const { mutate } = test
  const send = () => mutate({ webhookId: webhook.id })
  // A development build of React runs effects twice; the timer makes that one event.
  useEffect(() => {
    const timer = setTimeout(() => mutate({ webhookId: webhook.id }))
    return () => clearTimeout(timer)
  }, [mutate, webhook.id])
  const delivery = test.data?.delivery
  return (
    <Dialog title="Test event" onClose={onClose} wide>
      <div role="status">
        {test.isPending || test.isIdle ? (
          <p>
            <Status of="running" text="Sending" /> to {webhook.url}. Assay waits up to 35 seconds for the answer.
          </p>
        ) : undefined}
        {delivery ? <p>{verdictOf(delivery.status)}</p> : undefined}
      </div>
      {test.error ? <Problem error={test.error} /> : undefined}
      {delivery ? <DeliveryView delivery={delivery} /> : undefined}
      <div className="row">
        <button type="button" disabled={test.isPending} onClick={send}>
          Send another
        </button>
        <button type="button" className="plain" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

function verdictOf(status: string): string {
  if (status === 'succeeded') return 'The receiver accepted the event.'
  if (status === 'failed') return 'The receiver did not accept the event. Tests are not retried.'
  return 'The receiver has not answered yet. The deliveries show the outcome.'
}
