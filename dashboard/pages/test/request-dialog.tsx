import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { QuarantineMode } from '../../../core/quarantine/schema.ts'
import { trpc } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { CheckField, Form, TextField } from '../../parts/form.tsx'
import { DaysField, refreshQuarantines } from '../../parts/quarantine-actions.tsx'
import { isAtLeast, useProjectRole } from '../../parts/roles.ts'
import { announce } from '../../shell/notices.ts'
import type { TestDetail } from './types.ts'

interface RequestProps {
  projectId: string
  test: TestDetail
}

/** Opens the form that requests quarantine, for users who may, if the test is not in quarantine. */
export function RequestButton({ projectId, test }: RequestProps) {
  const [isOpen, setOpen] = useState(false)
  const mayRequest = isAtLeast(useProjectRole(projectId), 'member')
  if (!mayRequest || test.quarantine !== null) return undefined
  return (
    <>
      <button type="button" className="plain" onClick={() => setOpen(true)}>
        Request quarantine
      </button>
      {isOpen ? <RequestDialog projectId={projectId} test={test} onClose={() => setOpen(false)} /> : undefined}
    </>
  )
}

const modes: readonly (readonly [QuarantineMode, string, string])[] = [
  ['muted', 'Mute', 'The test runs, and its failures are shown, but they do not decide whether a run fails.'],
  ['skipped', 'Skip', 'Runs of Assay leave the test out where its runner can. Use it for tests that hang or do harm.'],
]

function RequestDialog({ projectId, test, onClose }: RequestProps & { onClose: () => void }) {
  const { testId, variant, variants, health } = test
  const policy = useQuery(trpc.tests.getPolicy.queryOptions({ projectId }, { staleTime: 60_000 }))
  const [mode, setMode] = useState<QuarantineMode>('muted')
  const [reason, setReason] = useState('')
  const [owner, setOwner] = useState(test.owners[0] ?? '')
  const [issueUrl, setIssueUrl] = useState('')
  const [days, setDays] = useState<string>()
  const [isOneVariant, setOneVariant] = useState(variants.length > 1)
  const usualDays = String(policy.data?.quarantine.days ?? 14)
  const request = useMutation(
    trpc.quarantine.request.mutationOptions({
      onSuccess: async () => {
        announce('Quarantine was requested.')
        onClose()
        await refreshQuarantines()
      },
    }),
  )
  const submit = () =>
    request.mutate({
      projectId,
      testId,
      mode,
      reason,
      days: Number(days ?? usualDays),
      ...(isOneVariant ? { variant } : {}),
      ...(owner.trim() === '' ? {} : { owner }),
      ...(issueUrl.trim() === '' ? {} : { issueUrl: issueUrl.trim() }),
    })
  return (
    <Dialog title="Request quarantine" onClose={onClose} isKept>
      <Form onSubmit={submit}>
        {health === 'broken' ? (
          <p className="note-line tone-warn">
            This test is broken: it fails in every run. Quarantine would hide a failure that is not random.
          </p>
        ) : undefined}
        <TextField
          label="Reason"
          hint="Why its failures should not decide. Everyone with access to the project can read it."
          value={reason}
          onChange={setReason}
          required
          maxLength={500}
        />
        <fieldset className="checks">
          <legend>What happens</legend>
          {modes.map(([each, label, hint]) => (
            <CheckField
              key={each}
              type="radio"
              name="mode"
              label={label}
              hint={hint}
              checked={mode === each}
              onChange={() => setMode(each)}
            />
          ))}
        </fieldset>
        {variants.length > 1 ? (
          <CheckField
            label={variant === '' ? 'Only the unnamed variant' : `Only the variant ${variant}`}
            checked={isOneVariant}
            onChange={setOneVariant}
          />
        ) : undefined}
        <div className="fields">
          <TextField label="Owner" hint="Who will fix the test." value={owner} onChange={setOwner} maxLength={200} />
          <DaysField value={days ?? usualDays} onChange={setDays} hint="From when it is granted; at most 90." />
        </div>
        <TextField
          label="Issue"
          hint="The address of the issue in which someone fixes the test."
          type="url"
          value={issueUrl}
          onChange={setIssueUrl}
          maxLength={2_000}
        />
        <div className="row">
          <button type="submit" disabled={request.isPending || reason.trim() === ''}>
            Request
          </button>
          <button type="button" className="plain" onClick={onClose}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  )
}
