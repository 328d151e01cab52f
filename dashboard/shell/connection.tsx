import { useSyncExternalStore } from 'react'
import { useNotices } from './notices.ts'

/** Says when this browser is offline, and when the session has ended. The page keeps what it shows. */
export function Connection() {
  const isOnline = useSyncExternalStore(
    (listener) => {
      window.addEventListener('online', listener)
      window.addEventListener('offline', listener)
      return () => {
        window.removeEventListener('online', listener)
        window.removeEventListener('offline', listener)
      }
    },
    () => navigator.onLine,
  )
  const { hasSessionEnded } = useNotices()
  return (
    <div aria-live="polite">
      {isOnline ? undefined : (
        <p className="banner tone-warn">
          You are offline. The page shows what was loaded before and continues by itself.
        </p>
      )}
      {hasSessionEnded ? (
        <p className="banner tone-bad">
          Your session has ended.{' '}
          <a href={`/sign-in?callbackURL=${encodeURIComponent(location.pathname + location.search)}`}>Sign in again</a>{' '}
          to continue here.
        </p>
      ) : undefined}
    </div>
  )
}
