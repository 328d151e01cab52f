import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient, trpc } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { CheckField, Form } from '../../parts/form.tsx'
import { announce } from '../../shell/notices.ts'
import { WebhookFields, type WebhookForm } from '../webhooks/fields.tsx'
import type { ControlProps } from './control-props.ts'

export function EditWebhook({ webhook, onClose }: ControlProps) {
  const [form, setForm] = useState<WebhookForm>({
    url: webhook.url,
    description: webhook.description ?? '',
    events: webhook.events,
  })
  const [active, setActive] = useState(webhook.active)
  const update = useMutation(
    trpc.webhooks.update.mutationOptions({
      onSuccess: async () => {
        announce('The webhook was saved.')
        onClose()
        await queryClient.invalidateQueries(trpc.webhooks.pathFilter())
      },
    }),
  )
  const submit = () => {
    const { url, events, description } = form
    update.mutate({
      webhookId: webhook.id,
      ...(url === webhook.url ? {} : { url }),
      events: [...events],
      description: description.trim() === '' ? null : description,
      ...(active === webhook.active ? {} : { active }),
    })
  }
  return (
    <Dialog title="Edit webhook" onClose={onClose} wide isKept>
      <Form onSubmit={submit}>
        <WebhookFields form={form} scope={webhook.scope} onChange={setForm} />
        <CheckField
          label="Active"
          hint="While it is inactive, events create no deliveries. Pause it instead to keep them."
          checked={active}
          onChange={setActive}
        />
        <div className="row">
          <button type="submit" disabled={update.isPending || form.events.length === 0}>
            Save
          </button>
          <button type="button" className="plain" onClick={onClose}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  )
}
