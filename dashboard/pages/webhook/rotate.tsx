import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient, trpc } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ChoiceField, Form } from '../../parts/form.tsx'
import { SecretOnce } from '../../parts/secret.tsx'
import { absoluteTime } from '../../parts/time-text.ts'
import { VerifyHint } from '../webhooks/create.tsx'
import type { ControlProps } from './control-props.ts'

export const overlaps = [
  ['0', 'Not at all: it has leaked'],
  ['1', '1 hour'],
  ['24', '1 day'],
  ['72', '3 days'],
  ['168', '7 days'],
] as const

/** Replaces the secret of a webhook and shows the new one. */
export function RotateSecret({ webhook, onClose }: ControlProps) {
  const [hours, setHours] = useState('24')
  const rotate = useMutation(
    trpc.webhooks.rotateSecret.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries(trpc.webhooks.pathFilter()),
    }),
  )
  if (rotate.data) {
    const { secret, previousSecretUntil } = rotate.data
    return (
      <SecretOnce title="New secret" secret={secret} label="Secret" onClose={onClose}>
        <p>
          {previousSecretUntil === null
            ? 'The previous secret is no longer used.'
            : `Deliveries are also signed with the previous secret until ${absoluteTime(previousSecretUntil)}.`}
        </p>
        <VerifyHint />
      </SecretOnce>
    )
  }
  return (
    <Dialog title="Rotate secret" onClose={onClose}>
      <Form onSubmit={() => rotate.mutate({ webhookId: webhook.id, overlapHours: Number(hours) })}>
        <p>Assay signs deliveries with a new secret. Give it to the receiver before the previous one ends.</p>
        <ChoiceField
          label="Also sign with the previous secret for"
          value={hours}
          onChange={setHours}
          options={overlaps}
        />
        <div className="row">
          <button type="submit" disabled={rotate.isPending}>
            Rotate secret
          </button>
          <button type="button" className="plain" onClick={onClose}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  )
}
