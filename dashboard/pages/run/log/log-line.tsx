import { Link } from '@tanstack/react-router'
import { memo, useState } from 'react'
import { formatCount } from '../../../parts/number-text.ts'
import { ansiSpans, plainText } from './ansi.ts'

interface LogLineProps {
  /** From 1. */
  number: number
  /** Undefined until its page has been loaded. */
  text: string | undefined
  find: string | undefined
}

/** How many characters of a line are shown at first. */
const maxShown = 1_000

/** A line of the log with its number, which is a link to the line. */
export const LogLine = memo(function LogLine({ number, text, find }: LogLineProps) {
  const [isWhole, setWhole] = useState(false)
  const isCut = text !== undefined && text.length > maxShown && !isWhole
  return (
    <>
      <Link
        from="/projects/$projectId/runs/$runId"
        to="."
        search={(old) => ({ ...old, tab: 'log' as const, line: number })}
        replace
        resetScroll={false}
        preload={false}
        className="log-number"
        aria-label={`Line ${number}`}
      >
        {number}
      </Link>
      <span className="log-text">
        {text === undefined ? (
          <span className="placeholder" />
        ) : (
          <LineText text={isCut ? text.slice(0, maxShown) : text} find={find} />
        )}
        {isCut ? (
          <button type="button" className="plain export" onClick={() => setWhole(true)}>
            Show all {formatCount(text.length)} characters
          </button>
        ) : undefined}
      </span>
    </>
  )
})

function LineText({ text, find }: { text: string; find: string | undefined }) {
  if (find !== undefined) {
    const plain = plainText(text)
    const parts = splitAt(plain, find)
    if (parts.length > 1) {
      return parts.map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))
    }
  }
  return ansiSpans(text).map(({ text, className }, at) => (
    <span key={at} className={className || undefined}>
      {text}
    </span>
  ))
}

/** Splits text at the places of a part, ignoring case: the odd elements are the places. */
function splitAt(text: string, part: string): string[] {
  const lower = text.toLowerCase()
  const wanted = part.toLowerCase()
  // Few letters change their length with their case, and would move all places after them.
  if (lower.length !== text.length || wanted === '') return [text]
  const parts: string[] = []
  let from = 0
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), text.slice(at, at + wanted.length))
    from = at + wanted.length
  }
  return [...parts, text.slice(from)]
}
