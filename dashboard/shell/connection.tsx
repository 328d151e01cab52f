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
  const { hasSessionEnded, hasUserChanged } = useNotices()
  return (
    <div aria-live="polite">
      {isOnline ? undefined : (
        <p className="banner tone-warn">
          You are offline. The page shows what was loaded before and continues by itself.
        </p>
      )}
      {hasSessionEnded ? (
        <p className="banner tone-bad">
          {/* The server leads from here to the sign-in page and back. */}
          Your session has ended. <a href={location.href}>Sign in again</a> to continue here.
        </p>
      ) : undefined}
      {hasUserChanged ? (
        <p className="banner tone-bad">
          Someone else has signed in in this browser, so this page can no longer change anything.{' '}
          <a href={location.href}>Reload it</a> to continue as that user.
        </p>
      ) : undefined}
    </div>
  )
}
