import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Outputs, queryClient, trpc } from '../../api.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { plural } from '../../parts/number-text.ts'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { announce } from '../../shell/notices.ts'
import { AccountFrame } from '../account/frame.tsx'
import { browserName } from './browser-name.ts'

type Session = Outputs['auth']['listSessions'][number]

/** Where the user is signed in. */
export function SessionsPage() {
  const sessions = useQuery(trpc.auth.listSessions.queryOptions())
  const [ending, setEnding] = useState<Session | 'others'>()
  const others = sessions.data?.filter(({ current }) => !current).length ?? 0
  return (
    <AccountFrame
      title="Sessions"
      lead={
        sessions.data
          ? `You are signed in at ${plural(sessions.data.length, 'place')}. End a session that you do not recognize, and change your password.`
          : 'Where you are signed in.'
      }
      actions={
        others > 0 ? (
          <button type="button" className="plain" onClick={() => setEnding('others')}>
            Sign out everywhere else
          </button>
        ) : undefined
      }
    >
      <Loaded query={sessions}>
        {(found) => <Table label="Sessions" columns={columnsFor(setEnding)} rows={found} rowKey={({ id }) => id} />}
      </Loaded>
      {ending ? <EndSession session={ending} count={others} onClose={() => setEnding(undefined)} /> : undefined}
    </AccountFrame>
  )
}

const columnsFor = (onEnd: (session: Session) => void): Column<Session>[] => [
  {
    id: 'program',
    title: 'Program',
    cell: ({ userAgent, current }) => (
      <>
        <span title={userAgent ?? undefined}>{browserName(userAgent)}</span>{' '}
        {current ? <Status of="active" text="This browser" /> : undefined}
      </>
    ),
    value: ({ userAgent }) => userAgent,
  },
  {
    id: 'address',
    title: 'Address',
    cell: ({ ipAddress }) => <code>{ipAddress ?? 'unknown'}</code>,
    value: ({ ipAddress }) => ipAddress,
  },
  {
    id: 'since',
    title: 'Signed in',
    minor: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
    value: ({ createdAt }) => createdAt,
  },
  {
    id: 'until',
    title: 'Ends',
    minor: true,
    cell: ({ expiresAt }) => <Time at={expiresAt} />,
    value: ({ expiresAt }) => expiresAt,
  },
  {
    id: 'end',
    title: 'Action',
    align: 'right',
    cell: (session) =>
      session.current ? (
        <form method="post" action="/sign-out">
          <button type="submit" className="plain">
            Sign out
          </button>
        </form>
      ) : (
        <button type="button" className="plain" onClick={() => onEnd(session)}>
          End<span className="visually-hidden"> the session at {session.ipAddress ?? 'an unknown address'}</span>
        </button>
      ),
  },
]

interface EndProps {
  session: Session | 'others'
  count: number
  onClose: () => void
}

function EndSession({ session, count, onClose }: EndProps) {
  const after = (text: string) => ({
    onSuccess: async () => {
      announce(text)
      onClose()
      await queryClient.invalidateQueries(trpc.auth.listSessions.pathFilter())
    },
  })
  const endOne = useMutation(trpc.auth.revokeSession.mutationOptions(after('The session was ended.')))
  const endOthers = useMutation(trpc.auth.revokeOtherSessions.mutationOptions(after('All other sessions were ended.')))
  return (
    <Confirm
      title={session === 'others' ? 'Sign out everywhere else' : 'End session'}
      action={session === 'others' ? 'End sessions' : 'End session'}
      isBusy={endOne.isPending || endOthers.isPending}
      onConfirm={() => (session === 'others' ? endOthers.mutate() : endOne.mutate({ sessionToken: session.id }))}
      onClose={onClose}
    >
      <p>
        {session === 'others'
          ? `${plural(count, 'session')} will end at once. This browser stays signed in.`
          : `${browserName(session.userAgent)} at ${session.ipAddress ?? 'an unknown address'} will be signed out at once.`}{' '}
        Tokens stay valid.
      </p>
    </Confirm>
  )
}
