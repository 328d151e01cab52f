import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { trpc } from '../api.ts'
import { useSetting } from '../parts/setting.ts'

/** The menu of the signed-in user. */
export function UserMenu() {
  const { data } = useQuery(trpc.auth.getSession.queryOptions(undefined, { staleTime: 60_000 }))
  const [times, setTimes] = useSetting('times')
  const user = data?.user
  return (
    <div className="menu">
      <button type="button" className="plain menu-button" popoverTarget="user-menu">
        <span className="avatar" aria-hidden="true">
          {(user?.name ?? '?').slice(0, 1).toUpperCase()}
        </span>
        <span className="visually-hidden">Your account</span>
      </button>
      <div id="user-menu" popover="auto" className="menu-list">
        {user ? (
          <p className="menu-user">
            <strong>{user.name}</strong>
            <span className="quiet">{user.email}</span>
          </p>
        ) : undefined}
        <Link to="/settings">Account settings</Link>
        <Link to="/settings/tokens">Tokens</Link>
        <Link to="/settings/audit">Audit log</Link>
        <a href="/docs">API reference</a>
        <button
          type="button"
          className="plain"
          onClick={() => setTimes(times === 'absolute' ? 'relative' : 'absolute')}
        >
          Show {times === 'absolute' ? 'relative' : 'absolute'} times
        </button>
        <form method="post" action="/sign-out">
          <button type="submit" className="plain">
            Sign out
          </button>
        </form>
      </div>
    </div>
  )
}
