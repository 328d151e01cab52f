import { useState } from 'react'
import { formatCount } from './number-text.ts'

interface LongTextProps {
  text: string
  /** The name of the block for screen readers. */
  label: string
  /** How many characters are shown at first. */
  limit?: number
}

/** A block of untrusted text such as a message or a stack. Long text is cut, with a button that shows all of it. */
export function LongText({ text, label, limit = 3_000 }: LongTextProps) {
  const [isWhole, setWhole] = useState(false)
  const isCut = text.length > limit && !isWhole
  return (
    <div className="long-text">
      <pre tabIndex={0} role="group" aria-label={label}>
        {isCut ? text.slice(0, limit) : text}
        {isCut ? '…' : ''}
      </pre>
      {isCut ? (
        <button type="button" className="plain" onClick={() => setWhole(true)}>
          Show all {formatCount(text.length)} characters
        </button>
      ) : undefined}
    </div>
  )
}

/** Untrusted text in one line: its marks do not change the text around it, and the title has all of it. */
export function ShortText({ text, limit = 160 }: { text: string; limit?: number }) {
  const shown = text.length > limit ? `${text.slice(0, limit)}…` : text
  return <bdi title={text.length > limit ? text.slice(0, 2_000) : undefined}>{shown}</bdi>
}

/** Untrusted text within a sentence. What exceeds `max` characters is shown when the user asks for it. */
export function InlineText({ text, max = 600 }: { text: string; max?: number }) {
  const [isWhole, setWhole] = useState(false)
  if (isWhole || text.length <= max) return <bdi>{text}</bdi>
  return (
    <>
      <bdi>{text.slice(0, max)}…</bdi>{' '}
      <button type="button" className="plain more" onClick={() => setWhole(true)}>
        Show all
      </button>
    </>
  )
}
