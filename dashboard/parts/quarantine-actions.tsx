import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Role } from '../../core/identity/organizations/schema.ts'
import { type Outputs, queryClient, trpc } from '../api.ts'
import { announce } from '../shell/notices.ts'
import { Dialog } from './dialog.tsx'
import { Form, TextField } from './form.tsx'
import { ShortText } from './long-text.tsx'
import { isAtLeast, useProjectRole } from './roles.ts'

export type Quarantine = Outputs['quarantine']['list']['quarantines'][number]

export interface QuarantineRights {
  role: Role | undefined
  /** The role that grants requests and extends quarantines. */
  grantedBy: Role
  mayGrant: boolean
  /** Requests, rejects and releases. */
  mayRequest: boolean
}

/** What the user may do with quarantines of a project. */
export function useQuarantineRights(projectId: string): QuarantineRights {
  const role = useProjectRole(projectId)
  const policy = useQuery(trpc.tests.getPolicy.queryOptions({ projectId }, { staleTime: 60_000 }))
  const grantedBy = policy.data?.quarantine.grantedBy ?? 'admin'
  return { role, grantedBy, mayGrant: isAtLeast(role, grantedBy), mayRequest: isAtLeast(role, 'member') }
}

/** Says which role the user lacks; nothing if none. */
export function RightsHint({ rights: { role, grantedBy, mayGrant } }: { rights: QuarantineRights }) {
  if (role === undefined || mayGrant) return undefined
  const own = role === 'viewer' ? 'Requesting quarantine requires the role member. ' : ''
  return (
    <p className="note-line tone-warn">
      Your role is {role}. {own}Granting it requires the role {grantedBy}.
    </p>
  )
}

type Action = 'grant' | 'extend' | 'reject' | 'release'

const texts: Record<Action, { button: string; title: string; explanation: string; done: string }> = {
  grant: {
    button: 'Grant',
    title: 'Grant quarantine',
    explanation: 'From now on, failures of the test do not decide whether a run fails.',
    done: 'The quarantine was granted.',
  },
  extend: {
    button: 'Extend',
    title: 'Extend quarantine',
    explanation: 'The new time counts from now.',
    done: 'The quarantine was extended.',
  },
  reject: {
    button: 'Reject',
    title: 'Reject request',
    explanation: 'The test keeps deciding whether a run fails.',
    done: 'The request was rejected.',
  },
  release: {
    button: 'Release',
    title: 'Release from quarantine',
    explanation: 'From now on, failures of the test decide again whether a run fails.',
    done: 'The quarantine was ended.',
  },
}

const actionsOf = ({ status }: Quarantine, { mayGrant, mayRequest }: QuarantineRights): Action[] => {
  const isRequest = status === 'requested'
  if (!isRequest && status !== 'active') return []
  return [
    ...(mayGrant ? [isRequest ? ('grant' as const) : ('extend' as const)] : []),
    ...(mayRequest ? [isRequest ? ('reject' as const) : ('release' as const)] : []),
  ]
}

interface ActionsProps {
  quarantine: Quarantine
  rights: QuarantineRights
}

/** What the user may do with a quarantine that waits or is active. */
export function QuarantineActions({ quarantine, rights }: ActionsProps) {
  const [open, setOpen] = useState<Action>()
  return (
    <span className="actions quarantine-actions">
      {actionsOf(quarantine, rights).map((action) => (
        <button key={action} type="button" className="plain" onClick={() => setOpen(action)}>
          {texts[action].button}
          <span className="visually-hidden"> {quarantine.name.slice(0, 100)}</span>
        </button>
      ))}
      {open ? <ActionDialog quarantine={quarantine} action={open} onClose={() => setOpen(undefined)} /> : undefined}
    </span>
  )
}

interface DialogProps {
  quarantine: Quarantine
  action: Action
  onClose: () => void
}

function ActionDialog({ quarantine, action, onClose }: DialogProps) {
  const { id: quarantineId, name } = quarantine
  const { button, title, explanation, done } = texts[action]
  const isGranting = action === 'grant' || action === 'extend'
  const [days, setDays] = useState(String(quarantine.days))
  const [reason, setReason] = useState('')
  const onSuccess = async () => {
    announce(done)
    onClose()
    await refreshQuarantines()
  }
  const grant = useMutation(trpc.quarantine.grant.mutationOptions({ onSuccess }))
  const release = useMutation(trpc.quarantine.release.mutationOptions({ onSuccess }))
  const submit = () => {
    if (isGranting) grant.mutate({ quarantineId, days: Number(days) })
    else release.mutate({ quarantineId, ...(reason.trim() === '' ? {} : { reason }) })
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={submit}>
        <p>
          <strong>
            <ShortText text={name} limit={300} />
          </strong>
        </p>
        <p>{explanation}</p>
        {isGranting ? (
          <DaysField value={days} onChange={setDays} hint="From now; at most 90." />
        ) : (
          <TextField
            label="Why"
            hint="Optional; the history shows it."
            value={reason}
            onChange={setReason}
            maxLength={500}
          />
        )}
        <div className="row">
          <button type="submit" disabled={grant.isPending || release.isPending}>
            {button}
          </button>
          <button type="button" className="plain" onClick={onClose}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  )
}

interface DaysProps {
  value: string
  onChange: (value: string) => void
  hint: string
}

export function DaysField({ value, onChange, hint }: DaysProps) {
  return (
    <TextField label="Days" hint={hint} type="number" min={1} max={90} required value={value} onChange={onChange} />
  )
}

/** Loads again what a change of a quarantine changes. */
export function refreshQuarantines(): Promise<unknown> {
  return Promise.all([
    queryClient.invalidateQueries(trpc.quarantine.pathFilter()),
    queryClient.invalidateQueries(trpc.tests.pathFilter()),
  ])
}

/** The issue in which someone fixes the test, as a link to its site. */
export function IssueLink({ url }: { url: string | null }) {
  if (url === null) return <span className="quiet">–</span>
  // The server accepts no other addresses; a script must never become a link.
  if (!/^https?:\/\//i.test(url)) return <ShortText text={url} limit={60} />
  return (
    <a href={url} target="_blank" rel="noreferrer noopener" title={url.slice(0, 2_000)}>
      <ShortText text={issueName(url)} limit={60} />
    </a>
  )
}

/** The end of the address, which has the number of the issue, after its host. */
function issueName(url: string): string {
  const parsed = URL.parse(url)
  if (!parsed) return url
  const number = parsed.pathname.split('/').findLast((part) => part !== '')
  return number === undefined ? parsed.host : `${parsed.host} ${number}`
}
