import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient, trpc } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, TextField } from '../../parts/form.tsx'
import { plural } from '../../parts/number-text.ts'
import type { Webhook } from '../webhooks/health.tsx'

/** Sends again what the receiver did not accept since a time. */
export function Recover({ webhook }: { webhook: Webhook }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="plain" onClick={() => setOpen(true)}>
        Recover
      </button>
      {isOpen ? <RecoverDialog webhook={webhook} onClose={() => setOpen(false)} /> : undefined}
    </>
  )
}

function RecoverDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [since, setSince] = useState(() => localTime(new Date(webhook.failingSince ?? Date.now() - 86_400_000)))
  const recover = useMutation(
    trpc.webhooks.recover.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries(trpc.webhooks.pathFilter()),
    }),
  )
  const send = (from: string) => recover.mutate({ webhookId: webhook.id, since: from })
  const done = recover.data
  return (
    <Dialog title="Recover deliveries" onClose={onClose}>
      <Form onSubmit={() => send(new Date(since).toISOString())}>
        <p>
          Sends every event since this time that the receiver has not accepted, also those of the time in which the
          webhook was inactive.
        </p>
        <TextField
          label="Since"
          type="datetime-local"
          hint="At most 30 days ago, in your time zone."
          value={since}
          onChange={setSince}
          required
        />
        <p role="status">
          {done
            ? `${plural(done.recovered, 'delivery', 'deliveries')} will be sent.${done.nextSince ? ' There are more.' : ''}`
            : undefined}
        </p>
        <div className="row">
          <button type="submit" disabled={recover.isPending || since === ''}>
            Recover
          </button>
          {done?.nextSince ? (
            <button type="button" disabled={recover.isPending} onClick={() => send(done.nextSince ?? '')}>
              Recover the next ones
            </button>
          ) : undefined}
          <button type="button" className="plain" onClick={onClose}>
            Close
          </button>
        </div>
      </Form>
    </Dialog>
  )
}

/** A time as the field for local times writes it. */
function localTime(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}
