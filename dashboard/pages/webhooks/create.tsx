import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient, trpc } from '../../api.ts'
import { Snippet } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form } from '../../parts/form.tsx'
import { SecretOnce } from '../../parts/secret.tsx'
import { usualEvents } from './events.ts'
import { WebhookFields, type WebhookForm } from './fields.tsx'

/** Whose events the webhooks of a list receive. */
export type Place = { projectId: string } | { organizationId: string }

interface CreateProps {
  place: Place
  onClose: () => void
  onCreated: (webhookId: string) => void
}

/** The form for a new webhook, and then its secret. */
export function CreateWebhook({ place, onClose, onCreated }: CreateProps) {
  const [form, setForm] = useState<WebhookForm>({ url: '', description: '', events: usualEvents })
  const create = useMutation(
    trpc.webhooks.create.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries(trpc.webhooks.list.pathFilter()),
    }),
  )
  if (create.data) {
    const { id, secret } = create.data.webhook
    return (
      <SecretOnce title="Secret of the webhook" secret={secret} label="Secret" onClose={() => onCreated(id)}>
        <VerifyHint />
      </SecretOnce>
    )
  }
  const submit = () => {
    const { url, events, description } = form
    create.mutate({ url, events: [...events], ...place, ...(description.trim() === '' ? {} : { description }) })
  }
  return (
    <Dialog title="Create webhook" onClose={onClose} wide isKept>
      <Form onSubmit={submit}>
        <WebhookFields form={form} scope={'projectId' in place ? 'project' : 'organization'} onChange={setForm} />
        <div className="row">
          <button type="submit" disabled={create.isPending || form.events.length === 0}>
            Create webhook
          </button>
          <button type="button" className="plain" onClick={onClose}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  )
}

/** How a receiver verifies deliveries with its secret. */
export function VerifyHint() {
  return (
    <div className="stack">
      <p>
        Give the secret to the receiver. It verifies the header <code>webhook-signature</code> of each delivery with it
        (Standard Webhooks):
      </p>
      <Snippet
        label="How a signature is made"
        text={'webhook-signature: v1,base64(hmac-sha256(secret, `${webhook-id}.${webhook-timestamp}.${body}`))'}
      />
    </div>
  )
}
