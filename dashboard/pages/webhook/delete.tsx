import { useMutation } from '@tanstack/react-query'
import { queryClient, trpc } from '../../api.ts'
import { ConfirmByName } from '../../parts/dialog.tsx'
import { announce } from '../../shell/notices.ts'
import type { ControlProps } from './control-props.ts'

export function DeleteWebhook({ webhook, onClose, onDeleted }: ControlProps & { onDeleted: () => void }) {
  const remove = useMutation(
    trpc.webhooks.delete.mutationOptions({
      onSuccess: async () => {
        announce('The webhook was deleted.')
        onDeleted()
        await queryClient.invalidateQueries(trpc.webhooks.list.pathFilter())
      },
    }),
  )
  // The host is short enough to type, and says which system stops hearing of events.
  const name = URL.parse(webhook.url)?.host ?? webhook.url
  return (
    <ConfirmByName
      title="Delete webhook"
      name={name}
      action="Delete webhook"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate({ webhookId: webhook.id })}
      onClose={onClose}
    >
      <p>Pending deliveries are discarded, and its history can no longer be read. This cannot be undone.</p>
    </ConfirmByName>
  )
}
