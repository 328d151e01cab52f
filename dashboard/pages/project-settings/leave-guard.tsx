import { useBlocker } from '@tanstack/react-router'
import { Confirm } from '../../parts/dialog.tsx'

const always = () => true

/** Asks before the user leaves a form with unsaved changes, by a link or by closing the tab. */
export function LeaveGuard({ isChanged }: { isChanged: boolean }) {
  const blocked = useBlocker({ shouldBlockFn: always, disabled: !isChanged, withResolver: true })
  if (blocked.status !== 'blocked') return undefined
  return (
    <Confirm
      title="Discard unsaved changes?"
      action="Discard changes"
      onConfirm={blocked.proceed}
      onClose={blocked.reset}
    >
      <p>Your changes to these settings are not saved.</p>
    </Confirm>
  )
}
