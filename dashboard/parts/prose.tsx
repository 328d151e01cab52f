import { useState } from 'react'

/** A sentence of the API: what it quotes in backticks is shown as code. What exceeds `max` characters is shown on demand. */
export function Prose({ text, max = 1_200 }: { text: string; max?: number }) {
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > max
  const parts = (isCut ? `${text.slice(0, max)}…` : text).split('`')
  return (
    <>
      {parts.map((part, index) =>
        // A quotation that does not end is no code.
        index % 2 === 1 && index < parts.length - 1 ? (
          <code key={index}>
            <bdi>{part}</bdi>
          </code>
        ) : (
          <bdi key={index}>{index % 2 === 1 ? `\`${part}` : part}</bdi>
        ),
      )}
      {isCut ? (
        <>
          {' '}
          <button type="button" className="plain more" onClick={() => setWhole(true)}>
            Show all
          </button>
        </>
      ) : undefined}
    </>
  )
}
