import type { ReactNode } from 'react'
import { Snippet } from './copy.tsx'
import { Dialog } from './dialog.tsx'
import '../styles/form.css'

interface SecretProps {
  title: string
  /** The text that cannot be read again. */
  secret: string
  /** What the secret is called, such as `Token`. */
  label: string
  children?: ReactNode
  onClose: () => void
}

/** Shows a secret once. Only the button closes it, so that a stray click does not lose the secret. */
export function SecretOnce({ title, secret, label, children, onClose }: SecretProps) {
  return (
    <Dialog title={title} onClose={onClose} wide isKept>
      <div className="secret">
        <p>Copy it now. Assay cannot show it again.</p>
        <Snippet text={secret} label={label} />
      </div>
      {children}
      <div className="row">
        <button type="button" onClick={onClose}>
          I have copied it
        </button>
      </div>
    </Dialog>
  )
}
