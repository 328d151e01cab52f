import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { Icon } from './icon.tsx'
import { visibleText } from './visible-text.ts'

interface DialogProps {
  title: string
  onClose: () => void
  children: ReactNode
  wide?: boolean
  /** A click beside the dialog does not close it. */
  isKept?: boolean
}

/** A modal dialog. The browser keeps the focus inside, closes it on Escape, and returns the focus. */
export function Dialog({ title, onClose, children, wide = false, isKept = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const close = useRef(onClose)
  close.current = onClose
  // Before the page is painted, so that nothing that the user types is lost.
  useLayoutEffect(() => {
    const element = dialog.current
    if (!element) return undefined
    const report = () => close.current()
    element.addEventListener('close', report)
    element.showModal()
    // The browser would choose the button that closes the dialog.
    element.querySelector<HTMLElement>('input, select, textarea')?.focus()
    return () => {
      // The browser sends the event later, when the page may show something else.
      element.removeEventListener('close', report)
      element.close()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={titleId}
      onClick={(event) => {
        if (event.target === dialog.current && !isKept) onClose()
      }}
    >
      <div className="dialog-body">
        <div className="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <button type="button" className="plain icon-button" onClick={onClose}>
            <Icon name="close" />
            <span className="visually-hidden">Close</span>
          </button>
        </div>
        {children}
      </div>
    </dialog>
  )
}

interface AskProps {
  title: string
  /** What happens. */
  children: ReactNode
  /** The verb on the button, such as `Revoke token`. */
  action: string
  isBusy?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Asks before something that cannot be undone but destroys nothing. */
export function Confirm({ title, children, action, isBusy = false, onConfirm, onClose }: AskProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <div className="row">
        <button type="button" className="danger" disabled={isBusy} onClick={onConfirm}>
          {action}
        </button>
        <button type="button" className="plain" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  )
}

interface ConfirmProps {
  title: string
  /** What will be lost. */
  children: ReactNode
  /** What the user must type. */
  name: string
  /** The verb on the button, such as `Delete project`. */
  action: string
  isBusy?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Asks for the name of what will be destroyed. */
export function ConfirmByName({ title, children, name, action, isBusy = false, onConfirm, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState('')
  // People type what they see.
  const isTyped = typed === name || typed === visibleText(name).replaceAll(/\s+/g, ' ').trim()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isTyped) onConfirm()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        <label>
          Type{' '}
          <strong>
            <bdi>{name}</bdi>
          </strong>{' '}
          to confirm
          <input
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </label>
        <div className="row">
          <button type="submit" className="danger" disabled={!isTyped || isBusy}>
            {action}
          </button>
          <button type="button" className="plain" onClick={onClose}>
            Keep it
          </button>
        </div>
      </form>
    </Dialog>
  )
}
