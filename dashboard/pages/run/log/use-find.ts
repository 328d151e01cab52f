import { useEffect, useState } from 'react'
import { client, messageOf } from '../../../api.ts'
import { plainText } from './ansi.ts'

const pageLines = 1_000
const maxMatches = 10_000

export interface Found {
  /** Numbers of lines, from 0. */
  lines: readonly number[]
  searched: number
  isDone: boolean
  problem?: string
}

const nothing: Found = { lines: [], searched: 0, isDone: true }

/** Looks for a text in all lines that the log has now, a page at a time. */
export function useFind(runId: string, find: string | undefined): Found {
  const [found, setFound] = useState(nothing)
  useEffect(() => {
    if (find === undefined) {
      setFound(nothing)
      return undefined
    }
    const stop = new AbortController()
    void findLines(runId, find, stop.signal, setFound).catch((error: unknown) => {
      if (!stop.signal.aborted) setFound((before) => ({ ...before, isDone: true, problem: messageOf(error) }))
    })
    return () => stop.abort()
  }, [runId, find])
  return found
}

async function findLines(runId: string, find: string, signal: AbortSignal, report: (found: Found) => void) {
  const wanted = find.toLowerCase()
  const lines: number[] = []
  for (let offset = 0; ;) {
    const page = await client.testRuns.log.query({ runId, offset, limit: pageLines }, { signal })
    for (const [at, line] of page.lines.entries()) {
      if (plainText(line).toLowerCase().includes(wanted)) lines.push(offset + at)
    }
    offset += page.lines.length
    const isDone = page.lines.length < pageLines || lines.length >= maxMatches
    if (signal.aborted) return
    report({ lines: [...lines], searched: offset, isDone })
    if (isDone) return
  }
}
