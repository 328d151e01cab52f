import { useVirtualizer } from '@tanstack/react-virtual'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { Problem } from '../../../parts/loaded.tsx'
import { useSetting } from '../../../parts/setting.ts'
import { isActive } from '../../runs/words.ts'
import type { LiveLog } from '../follow-run.ts'
import type { RunDetail } from '../run.ts'
import { LogLine } from './log-line.tsx'
import { LogTools } from './log-tools.tsx'
import { useLogLines } from './use-log.ts'

interface LogViewProps {
  run: RunDetail
  live: LiveLog | undefined
  total: number
  /** From 1. */
  line: number | undefined
  find: string | undefined
}

const lineHeight = 20
/** How near to the end the user must be for the view to follow it. */
const nearEnd = 2 * lineHeight

const route = getRouteApi('/projects/$projectId/runs/$runId')

/** The lines in view of a log of any length. */
export function LogView({ run, live, total, line, find }: LogViewProps) {
  const navigate = route.useNavigate()
  const frame = useRef<HTMLDivElement>(null)
  const [wrapping] = useSetting('log')
  const [follows, setFollows] = useState(isActive(run) && line === undefined)
  const lines = useVirtualizer({
    count: total,
    getScrollElement: () => frame.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  })
  const visible = lines.getVirtualItems()
  const { lineAt, failed } = useLogLines(run, live, visible[0]?.index ?? 0, visible.at(-1)?.index ?? 0)
  useEffect(() => lines.measure(), [lines, wrapping])
  useEffect(() => {
    if (line !== undefined) lines.scrollToIndex(Math.min(line, total) - 1, { align: 'center' })
    // The length of the log changes while it is read.
  }, [lines, line])
  useEffect(() => {
    if (follows) lines.scrollToIndex(total - 1, { align: 'end' })
  }, [lines, follows, total])
  const lastTop = useRef(0)
  const noticeScroll = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = frame.current ?? {}
    const isUp = scrollTop < lastTop.current
    lastTop.current = scrollTop
    if (!isUp || !follows || scrollHeight - scrollTop - clientHeight <= nearEnd) return
    setFollows(false)
    // Who reads the log keeps it when the run ends.
    void navigate({ search: (old) => ({ ...old, tab: 'log' }), replace: true, resetScroll: false })
  }
  const goTo = (number: number) => {
    setFollows(false)
    void navigate({ search: (old) => ({ ...old, tab: 'log', line: number }), replace: true, resetScroll: false })
  }
  return (
    <div className="log">
      <LogTools
        run={run}
        total={total}
        line={line}
        find={find}
        follows={follows}
        onFollow={setFollows}
        onGoTo={goTo}
        onFind={(find) =>
          void navigate({ search: (old) => ({ ...old, tab: 'log', find }), replace: true, resetScroll: false })
        }
      />
      {failed ? <Problem error={failed.error} retry={() => failed.refetch()} /> : undefined}
      <div
        ref={frame}
        className={wrapping === 'wrapped' ? 'log-frame wrapped' : 'log-frame'}
        tabIndex={0}
        role="region"
        aria-label="Log"
        onScroll={noticeScroll}
      >
        <div className="log-body" style={{ height: lines.getTotalSize() }}>
          {visible.map(({ index, start }) => (
            <div
              key={index}
              ref={lines.measureElement}
              data-index={index}
              className={index + 1 === line ? 'log-line selected' : 'log-line'}
              aria-current={index + 1 === line ? 'true' : undefined}
              style={{ transform: `translateY(${start}px)` }}
            >
              <LogLine number={index + 1} text={lineAt(index)} find={find} />
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}
