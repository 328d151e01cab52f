import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf, type Outputs, queryClient, trpc } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ChoiceField, Form, TextField } from '../../parts/form.tsx'
import { Prose } from '../../parts/prose.tsx'
import { announce } from '../../shell/notices.ts'
import { type HostKind, hostKinds, kindOptions, likelyKind } from './host-kinds.ts'
import type { Project } from './use-draft.ts'

interface SetProps {
  project: Project
  /** The connection that is replaced. */
  known: NonNullable<Outputs['codeHost']['getConnection']['connection']> | undefined
  onClose: () => void
}

/** Asks for a token, which the server checks at the code host before it stores it. */
export function SetConnection({ project, known, onClose }: SetProps) {
  const [kind, setKind] = useState<HostKind>(known?.kind ?? likelyKind(project.repository))
  const [apiUrl, setApiUrl] = useState(known?.apiUrl ?? '')
  const [token, setToken] = useState('')
  const projectId = project.id
  const set = useMutation(
    trpc.codeHost.setConnection.mutationOptions({
      meta: { isShown: true },
      // The token is among the variables.
      gcTime: 0,
      onSuccess: (found) => {
        queryClient.setQueryData(trpc.codeHost.getConnection.queryKey({ projectId }), found)
        announce('The code host accepted the token, and the connection was set.')
        onClose()
      },
    }),
  )
  const choose = (next: string) => {
    const chosen = kindOptions.find(([each]) => each === next)?.[0]
    if (chosen === undefined) return
    setKind(chosen)
    // Each kind has another path.
    setApiUrl('')
  }
  const submit = () =>
    set.mutate({ projectId, kind, token: token.trim(), ...(apiUrl.trim() === '' ? {} : { apiUrl: apiUrl.trim() }) })
  const title = known ? 'Replace connection' : 'Set connection'
  return (
    <Dialog title={title} onClose={onClose} wide isKept>
      <Form onSubmit={submit} label={title}>
        <ChoiceField label="Code host" value={kind} onChange={choose} options={kindOptions} />
        <TextField
          label="Token"
          type="password"
          autoComplete="new-password"
          hint={<Prose text={`${hostKinds[kind].token} Assay stores it encrypted and never shows it again.`} />}
          value={token}
          onChange={setToken}
          required
          maxLength={4_096}
          spellCheck={false}
        />
        <TextField
          label="API URL"
          type="url"
          hint="Empty: the usual path at the host of the repository."
          placeholder={placeholders[kind]}
          value={apiUrl}
          onChange={setApiUrl}
          maxLength={2_048}
          spellCheck={false}
        />
        <div role="status">{set.isPending ? <p>Checking the token at the code host…</p> : undefined}</div>
        {set.error ? (
          <p className="problem" role="alert">
            {messageOf(set.error)}
          </p>
        ) : undefined}
        <div className="row">
          <button type="submit" disabled={set.isPending || token.trim() === ''}>
            Check and set
          </button>
          <button type="button" className="plain" onClick={onClose}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  )
}

const placeholders: Record<HostKind, string> = {
  gitlab: 'https://gitlab.example.com/api/v4',
  gitea: 'https://git.example.com/api/v1',
  github: 'https://github.example.com/api/v3',
}
