import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Outputs, queryClient, trpc } from '../../api.ts'
import { ChoiceField, Form, TextField } from '../../parts/form.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Facts, Section } from '../../parts/page.tsx'
import { useSetting } from '../../parts/setting.ts'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { announce } from '../../shell/notices.ts'
import { CodeHostSection } from './code-host.tsx'
import { AccountFrame } from './frame.tsx'
import { doneTexts, problemText } from './words.ts'

const route = getRouteApi('/settings')

type Profile = Outputs['auth']['getProfile']

/** Who the user is, how the user signs in, and how this browser shows Assay. */
export function AccountPage() {
  const profile = useQuery(trpc.auth.getProfile.queryOptions())
  return (
    <AccountFrame title="Account settings">
      <ReturnNote />
      <Loaded query={profile}>
        {(user) => (
          <>
            <Facts
              of={[
                ['E-mail', user.email],
                [
                  'Confirmed',
                  user.emailVerified ? <Status of="passed" text="Yes" /> : <Status of="pending" text="Not yet" />,
                ],
                ['Account since', <Time key="since" at={user.createdAt} />],
              ]}
            />
            <ProfileSection key={user.updatedAt} user={user} />
            <SignInSection user={user} />
          </>
        )}
      </Loaded>
      <CodeHostSection />
      <BrowserSection />
    </AccountFrame>
  )
}

/** What was done on the page that led here. It stays until it is dismissed. */
function ReturnNote() {
  const { done, error } = route.useSearch()
  const navigate = route.useNavigate()
  const text = error === undefined ? done && doneTexts[done] : problemText(error)
  if (text === undefined || text === '') return undefined
  return (
    <div className={error === undefined ? 'note-line' : 'note-line tone-bad'} role={error ? 'alert' : 'status'}>
      <span>{text}</span>
      <button type="button" className="plain" onClick={() => void navigate({ search: {}, replace: true })}>
        Dismiss
      </button>
    </div>
  )
}

function ProfileSection({ user }: { user: Profile }) {
  const [name, setName] = useState(user.name)
  const update = useMutation(
    trpc.auth.updateProfile.mutationOptions({
      onSuccess: async () => {
        announce('Your name was saved.')
        await queryClient.invalidateQueries(trpc.auth.pathFilter())
      },
    }),
  )
  return (
    <Section title="Profile">
      <Form onSubmit={() => update.mutate({ name })}>
        <TextField
          label="Name"
          hint="Members of your organizations see it with what you do."
          value={name}
          onChange={setName}
          required
          maxLength={100}
          autoComplete="name"
        />
        <div className="row">
          <button type="submit" disabled={update.isPending || name.trim() === '' || name.trim() === user.name}>
            Save name
          </button>
        </div>
      </Form>
    </Section>
  )
}

function SignInSection({ user }: { user: Profile }) {
  return (
    <Section title="Sign-in">
      <div className="stack">
        {user.emailVerified ? undefined : (
          <form method="post" action="/verify-email/send" className="stack">
            <p>
              Your e-mail address is not confirmed. Confirm it to accept invitations and to sign in with the code host.
            </p>
            <div className="row">
              <button type="submit">Send a confirmation link</button>
            </div>
          </form>
        )}
        <div className="row">
          <a className="button plain" href="/change-password">
            Change password
          </a>
          <Link className="button plain" to="/settings/sessions">
            Where you are signed in
          </Link>
        </div>
      </div>
    </Section>
  )
}

function BrowserSection() {
  const [times, setTimes] = useSetting('times')
  const [log, setLog] = useSetting('log')
  return (
    <Section title="This browser">
      <div className="form">
        <div className="fields">
          <ChoiceField
            label="Times"
            hint="The other form is in the title of each time."
            value={times}
            onChange={(value) => setTimes(value === 'absolute' ? 'absolute' : 'relative')}
            options={[
              ['relative', 'Relative: 5 min ago'],
              ['absolute', 'Absolute: date and time'],
            ]}
          />
          <ChoiceField
            label="Long lines of logs"
            value={log}
            onChange={(value) => setLog(value === 'unwrapped' ? 'unwrapped' : 'wrapped')}
            options={[
              ['wrapped', 'Wrap'],
              ['unwrapped', 'Scroll'],
            ]}
          />
        </div>
      </div>
    </Section>
  )
}
