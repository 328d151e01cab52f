import { useState } from 'react'
import { formatBytes } from './numbers.tsx'
import '../styles/form.css'

/** Text of others that may be very long. Shows the beginning, and all of it on demand. */
export function LongText({ text, limit = 4_000, label }: { text: string; limit?: number; label: string }) {
  const [isWhole, setWhole] = useState(false)
  const isLong = text.length > limit
  return (
    <div className="long-text">
      <pre tabIndex={0} role="region" aria-label={label} dir="ltr">
        {isLong && !isWhole ? text.slice(0, limit) : text}
      </pre>
      {isLong ? (
        <button type="button" className="plain" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all of ${formatBytes(text.length)}`}
        </button>
      ) : undefined}
    </div>
  )
}
