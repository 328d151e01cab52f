import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient, trpc } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ChoiceField, Form, TextField } from '../../parts/form.tsx'
import { isAtLeast, useProjectRole } from '../../parts/roles.ts'
import { announce } from '../../shell/notices.ts'
import type { TestDetail } from './types.ts'

interface ConfirmProps {
  projectId: string
  test: TestDetail
}

/** Opens the form that confirms a fix, for users who may run tests. */
export function ConfirmButton({ projectId, test }: ConfirmProps) {
  const [isOpen, setOpen] = useState(false)
  if (!isAtLeast(useProjectRole(projectId), 'member')) return undefined
  return (
    <>
      <button type="button" className="plain" onClick={() => setOpen(true)}>
        Confirm a fix
      </button>
      {isOpen ? <ConfirmDialog projectId={projectId} test={test} onClose={() => setOpen(false)} /> : undefined}
    </>
  )
}

const repetitions = [
  ['20', '20: the test fails in less than 14 % of runs'],
  ['59', '59: the test fails in less than 5 % of runs'],
  ['300', '300: the test fails in less than 1 % of runs'],
] as const

const isCommit = (text: string) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)

function ConfirmDialog({ projectId, test, onClose }: ConfirmProps & { onClose: () => void }) {
  const { testId, variant } = test
  const [revision, setRevision] = useState('')
  const [repeats, setRepeats] = useState<string>('20')
  const confirm = useMutation(
    trpc.tests.confirmFix.mutationOptions({
      onSuccess: async () => {
        announce('The test is being repeated.')
        onClose()
        await queryClient.invalidateQueries({ queryKey: trpc.tests.listConfirmations.queryKey() })
      },
    }),
  )
  const given = revision.trim()
  const submit = () =>
    confirm.mutate({
      projectId,
      testId,
      variant,
      repeats: Number(repeats),
      ...(given === '' ? {} : isCommit(given) ? { commitSha: given } : { branch: given }),
    })
  return (
    <Dialog title="Confirm a fix" onClose={onClose} isKept>
      <Form onSubmit={submit}>
        <p>
          Assay runs the test again and again, first alone, then together with the other tests. If it always passes, and
          once the project’s branch contains the commit, the test counts as healthy.
        </p>
        <TextField
          label="Branch or commit"
          hint="The branch with the fix, or the full id of a commit. Empty: the branch of the project."
          value={revision}
          onChange={setRevision}
          maxLength={255}
        />
        <ChoiceField
          label="Repetitions"
          hint="How often the test runs alone, and what it shows with 95 % confidence if no run fails. The runs with other tests show more."
          value={repeats}
          options={repetitions}
          onChange={setRepeats}
        />
        <div className="row">
          <button type="submit" disabled={confirm.isPending}>
            Confirm
          </button>
          <button type="button" className="plain" onClick={onClose}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  )
}
