import { useRouter } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { plural } from './number-text.ts'
import { lookOf } from './status.tsx'
import { absoluteTime } from './time-text.ts'

/** A run in a strip. */
interface RunPoint {
  runId: string
  reportedStatus: string
  createdAt: string
  failedTests?: number
  mutedTests?: number
  /** What else is to say, such as the duration. */
  detail?: string | undefined
  /** The bar is drawn as an outline, because it says nothing about its subject. */
  isExcused?: boolean
}

/** Heights tell the statuses apart without color: a passed run is low, a failed one is high, an error has a gap. */
const shapes: Record<string, string> = {
  good: 'M0 10h5v6h-5z',
  bad: 'M0 0h5v16h-5z',
  broken: 'M0 0h5v6h-5zM0 10h5v6h-5z',
  busy: 'M0 13h5v3h-5z',
  warn: 'M0 6h5v10h-5z',
  quiet: 'M0 14h5v2h-5z',
}

/** Failures that do not decide are as high as others, in pieces. */
const mutedShape = 'M0 0h5v4h-5zM0 6h5v4h-5zM0 12h5v4h-5z'

interface StripProps {
  projectId: string
  runs: readonly RunPoint[]
  /** The query of the links, such as `?tab=results`. */
  query?: string
  /** What the bars are, such as `result`. */
  noun?: string
}

/** The latest runs as bars, oldest at the left; each leads to its run. */
export function RunStrip({ projectId, runs, query = '', noun = 'run' }: StripProps) {
  const router = useRouter()
  if (runs.length === 0) return <span className="quiet">No runs</span>
  // A page has many bars, and the router's own links take most of the time that showing them takes.
  const follow = (event: MouseEvent) => {
    const link = (event.target as Element).closest('a')
    if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    void router.navigate({ href: link.getAttribute('href') ?? '' })
  }
  const failed = runs.filter(({ reportedStatus }) => /^(?:failed|error)$/i.test(reportedStatus)).length
  return (
    <span className="strip" role="group" aria-label={`${plural(runs.length, noun)}, ${failed} failed`} onClick={follow}>
      {runs.toReversed().map((run) => {
        const look = lookOf(run.reportedStatus)
        const failures = run.failedTests ? `, ${run.failedTests} failed` : ''
        const muted = run.mutedTests ? `, ${run.mutedTests} failed but muted` : ''
        const detail = run.detail === undefined ? '' : `, ${run.detail}`
        const text = `${look.text}${failures}${muted}${detail}, ${absoluteTime(run.createdAt)}`
        return (
          <a
            key={run.runId}
            href={`/projects/${projectId}/runs/${run.runId}${query}`}
            className={`strip-bar tone-${look.tone}${run.isExcused ? ' excused' : ''}`}
            title={text}
          >
            <svg viewBox="0 0 5 16" aria-hidden="true">
              <path d={run.reportedStatus === 'muted' ? mutedShape : shapes[look.tone]} />
            </svg>
            <span className="visually-hidden">{text}</span>
          </a>
        )
      })}
    </span>
  )
}
