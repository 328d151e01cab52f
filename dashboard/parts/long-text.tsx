import { useState } from 'react'

/** Text of unknown length. What exceeds `max` characters is shown when the user asks for it. */
export function LongText({ text, max = 600 }: { text: string; max?: number }) {
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
