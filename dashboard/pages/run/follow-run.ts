import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { trpc } from '../../api.ts'
import type { RunDetail, RunNews } from './run.ts'

/** How many lines before the end of the log a reader gets at first. The pages of the log hold the others. */
const tailLines = 500

/** How many lines stay in memory. The pages of the log hold older ones. */
const maxLines = 100_000

/** The lines that came with the events, as a block that ends at the end of the log. */
export interface LiveLog {
  first: number
  /** Grows in place. */
  lines: readonly string[]
  end: number
}

export interface Followed {
  log: LiveLog | undefined
  connection: 'idle' | 'open' | 'lost'
}

/**
 * Follows a run that has not ended: keeps its record in the cache up to date, and collects the lines of its log. The browser
 * reconnects by itself after a lost connection. Where the server refused the connection, this tries again.
 */
export function useFollowedRun(runId: string, isLive: boolean): Followed {
  const queryClient = useQueryClient()
  const [connection, setConnection] = useState<Followed['connection']>('idle')
  const [log, setLog] = useState<LiveLog>()
  const collected = useRef<{ first: number; lines: string[] }>(undefined)
  const [followedId, setFollowedId] = useState<string>()
  // The last lines of the log arrive after the record says that the run has ended.
  const isFollowed = followedId === runId
  useEffect(() => {
    if (isLive) setFollowedId(runId)
  }, [runId, isLive])
  useEffect(() => {
    if (!isFollowed) return undefined
    collected.current = undefined
    let events: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let frame: number | undefined
    let failures = 0
    const showLines = () => {
      frame ??= requestAnimationFrame(() => {
        frame = undefined
        if (!collected.current) return
        const { first, lines } = collected.current
        setLog({ first, lines, end: first + lines.length })
      })
    }
    const addLine = ({ line, text }: { line: number; text: string }) => {
      const known = collected.current
      const end = known ? known.first + known.lines.length : 0
      if (known && line < end) return
      if (known && line === end) known.lines.push(text)
      else collected.current = { first: line, lines: [text] }
      if (known && known.lines.length > maxLines) {
        collected.current = { first: known.first + maxLines / 2, lines: known.lines.slice(maxLines / 2) }
      }
      showLines()
    }
    const refresh = () => {
      void queryClient.invalidateQueries({ queryKey: trpc.testRuns.get.queryKey({ runId }) })
    }
    let phase: string | undefined
    const changeRun = (news: RunNews) => {
      // The commit and the plan become known between the phases, and are not in the events.
      if (phase !== undefined && phase !== news.progress?.phase) refresh()
      phase = news.progress?.phase ?? ''
      queryClient.setQueryData(trpc.testRuns.get.queryKey({ runId }), (run) => run && withNews(run, news))
    }
    const connect = () => {
      const known = collected.current
      const from = known ? known.first + known.lines.length : -tailLines
      const opened = new EventSource(`/api/test-runs/${encodeURIComponent(runId)}/events?from=${from}`)
      events = opened
      opened.addEventListener('open', () => {
        failures = 0
        setConnection('open')
      })
      opened.addEventListener('status', ({ data }) => changeRun(JSON.parse(data) as RunNews))
      opened.addEventListener('log', ({ data }) => addLine(JSON.parse(data) as { line: number; text: string }))
      opened.addEventListener('end', () => {
        opened.close()
        setConnection('idle')
        setFollowedId(undefined)
        void queryClient.invalidateQueries({ queryKey: trpc.testRuns.pathKey() })
      })
      opened.addEventListener('error', () => {
        setConnection('lost')
        if (opened.readyState !== EventSource.CLOSED) return
        // Also tells whether the session has ended.
        refresh()
        timer = setTimeout(connect, Math.min(2_000 * 2 ** failures++, 30_000))
      })
    }
    connect()
    return () => {
      events?.close()
      clearTimeout(timer)
      if (frame !== undefined) cancelAnimationFrame(frame)
    }
  }, [runId, isFollowed, queryClient])
  return { log, connection }
}

function withNews(run: RunDetail, { status, queue, progress, ...news }: RunNews): RunDetail {
  const { totalTests, passedTests, failedTests, skippedTests, coverage, duration, startedAt } = news
  const counts = { totalTests, passedTests, failedTests, skippedTests, coverage, duration, startedAt }
  // The record of an ended run has more than the events, so the end of the stream loads it.
  const isActive = status === 'PENDING' || status === 'RUNNING'
  return { ...run, ...counts, queue, progress, ...(isActive ? { status, reportedStatus: status } : {}) }
}
