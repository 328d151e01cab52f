import { type ReactNode, useState } from 'react'
import { Confirm } from './dialog.tsx'

interface AskButtonProps {
  label: string
  /** The title of the question. */
  title: string
  /** What happens. */
  children: ReactNode
  /** The verb on the button of the question. */
  action: string
  isBusy: boolean
  onConfirm: () => void
}

/** A button for something that cannot be undone: it asks first. */
export function AskButton({ label, title, children, action, isBusy, onConfirm }: AskButtonProps) {
  const [isAsking, setAsking] = useState(false)
  const confirm = () => {
    setAsking(false)
    onConfirm()
  }
  return (
    <>
      <button type="button" className="plain" disabled={isBusy} onClick={() => setAsking(true)}>
        {label}
      </button>
      {isAsking ? (
        <Confirm title={title} action={action} onConfirm={confirm} onClose={() => setAsking(false)}>
          {children}
        </Confirm>
      ) : undefined}
    </>
  )
}
