import { useEffect, useRef } from 'react'
import { SearchField } from '../../../parts/filters.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { formatCount, plural } from '../../../parts/number-text.ts'
import { useSetting } from '../../../parts/setting.ts'
import { isActive } from '../../runs/words.ts'
import type { RunDetail } from '../run.ts'
import { type Found, useFind } from './use-find.ts'

interface LogToolsProps {
  run: RunDetail
  total: number
  line: number | undefined
  find: string | undefined
  follows: boolean
  onFollow: (follows: boolean) => void
  onGoTo: (line: number) => void
  onFind: (find: string | undefined) => void
}

/** Search in the log, and how it is shown. */
export function LogTools({ run, total, line, find, follows, onFollow, onGoTo, onFind }: LogToolsProps) {
  const [wrapping, setWrapping] = useSetting('log')
  const found = useFind(run.id, find)
  const at = (line ?? 0) - 1
  const move = (isForward: boolean) => {
    const { lines } = found
    const next = isForward
      ? (lines.find((each) => each > at) ?? lines[0])
      : (lines.findLast((each) => each < at) ?? lines.at(-1))
    if (next !== undefined) onGoTo(next + 1)
  }
  // The first match is shown as soon as it is found, unless the address names a line.
  const shown = useRef(line === undefined ? undefined : find)
  const [first] = found.lines
  useEffect(() => {
    if (find === undefined || first === undefined || shown.current === find) return
    shown.current = find
    onGoTo(first + 1)
  }, [find, first])
  return (
    <form
      className="filters log-tools"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        move(true)
      }}
    >
      <SearchField label="Find in the log" value={find} onChange={onFind} />
      <span className="row">
        <button type="button" className="plain" disabled={found.lines.length === 0} onClick={() => move(false)}>
          <Icon name="up" />
          <span className="visually-hidden">Previous match</span>
        </button>
        <button type="submit" className="plain" disabled={found.lines.length === 0}>
          <Icon name="down" />
          <span className="visually-hidden">Next match</span>
        </button>
        <span className="hint" role="status">
          {find === undefined ? plural(total, 'line') : foundText(found, at, total)}
        </span>
      </span>
      <span className="row log-options">
        <label>
          <input
            type="checkbox"
            checked={wrapping === 'wrapped'}
            onChange={(event) => setWrapping(event.target.checked ? 'wrapped' : 'unwrapped')}
          />{' '}
          Wrap lines
        </label>
        {isActive(run) ? (
          <label>
            <input type="checkbox" checked={follows} onChange={(event) => onFollow(event.target.checked)} /> Follow the
            end
          </label>
        ) : undefined}
      </span>
    </form>
  )
}

function foundText({ lines, searched, isDone, problem }: Found, at: number, total: number): string {
  if (problem !== undefined) return problem
  if (!isDone) return `${formatCount(lines.length)} found in ${formatCount(searched)} of ${formatCount(total)} lines…`
  if (lines.length === 0) return 'Not found'
  const place = lines.indexOf(at)
  return place === -1 ? plural(lines.length, 'line') : `${formatCount(place + 1)} of ${plural(lines.length, 'line')}`
}
