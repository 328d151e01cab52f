import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient, trpc } from '../../api.ts'
import { announce } from '../../shell/notices.ts'
import type { Webhook } from '../webhooks/health.tsx'
import { DeleteWebhook } from './delete.tsx'
import { EditWebhook } from './edit.tsx'
import { RotateSecret } from './rotate.tsx'
import { TestEvent } from './test-event.tsx'

/** What an admin can do with a webhook. */
export function Controls({ webhook, onDeleted }: { webhook: Webhook; onDeleted: () => void }) {
  const [open, setOpen] = useState<'test' | 'edit' | 'rotate' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <>
      <button type="button" onClick={() => setOpen('test')}>
        Send test event
      </button>
      <PauseButton webhook={webhook} />
      <button type="button" className="plain" onClick={() => setOpen('edit')}>
        Edit
      </button>
      <button type="button" className="plain" onClick={() => setOpen('rotate')}>
        Rotate secret
      </button>
      <button type="button" className="plain" onClick={() => setOpen('delete')}>
        Delete
      </button>
      {open === 'test' ? <TestEvent webhook={webhook} onClose={close} /> : undefined}
      {open === 'edit' ? <EditWebhook webhook={webhook} onClose={close} /> : undefined}
      {open === 'rotate' ? <RotateSecret webhook={webhook} onClose={close} /> : undefined}
      {open === 'delete' ? <DeleteWebhook webhook={webhook} onClose={close} onDeleted={onDeleted} /> : undefined}
    </>
  )
}

function PauseButton({ webhook: { id: webhookId, active, pausedAt } }: { webhook: Webhook }) {
  const refresh = () => queryClient.invalidateQueries(trpc.webhooks.pathFilter())
  const resume = useMutation(trpc.webhooks.resume.mutationOptions({ onSuccess: refresh }))
  const pause = useMutation(
    trpc.webhooks.pause.mutationOptions({
      onSuccess: async () => {
        announce('The webhook is paused. Deliveries wait.', () => resume.mutate({ webhookId }))
        await refresh()
      },
    }),
  )
  const activate = useMutation(trpc.webhooks.update.mutationOptions({ onSuccess: refresh }))
  if (!active) {
    return (
      <button
        type="button"
        className="plain"
        disabled={activate.isPending}
        onClick={() => activate.mutate({ webhookId, active: true })}
      >
        Activate
      </button>
    )
  }
  return pausedAt === null ? (
    <button type="button" className="plain" disabled={pause.isPending} onClick={() => pause.mutate({ webhookId })}>
      Pause
    </button>
  ) : (
    <button type="button" className="plain" disabled={resume.isPending} onClick={() => resume.mutate({ webhookId })}>
      Resume
    </button>
  )
}
