import { useMemo } from 'react'
import { plural } from '../../parts/number-text.ts'
import { Plot, type Series } from '../../parts/plot.tsx'
import { formatDuration } from '../../parts/time-text.ts'
import { Time } from '../../parts/time.tsx'
import type { TestDetail } from './types.ts'

/** How long the test takes: the latest results with lasting changes, and each day. */
export function Durations({ test }: { test: TestDetail }) {
  const { strip, steps, days } = test
  const latest = useMemo(() => latestOf(strip, steps), [strip, steps])
  const daily = useMemo(() => dailyOf(days), [days])
  if (latest.times.length === 0) return <p className="quiet">No run measured a duration.</p>
  return (
    <>
      <Steps steps={steps} />
      <div className="plots">
        <Plot title="Duration of the latest results" {...latest} format={formatDuration} />
        {daily.times.length > 1 ? <Plot title="Duration by day" {...daily} format={formatDuration} /> : undefined}
      </div>
    </>
  )
}

type Step = TestDetail['steps'][number]

function Steps({ steps }: { steps: readonly Step[] }) {
  if (steps.length === 0) return undefined
  return (
    <ul className="plain-list test-steps" aria-label={plural(steps.length, 'lasting change')}>
      {steps.toReversed().map(({ at, beforeMs, afterMs, ratio }) => (
        <li key={at}>
          <strong className={ratio > 1 ? 'tone-warn' : 'tone-good'}>
            <span aria-hidden="true">{ratio > 1 ? '▲' : '▼'}</span> {ratio > 1 ? 'Slower' : 'Faster'}
          </strong>{' '}
          since <Time at={at} />: {formatDuration(beforeMs)} → {formatDuration(afterMs)} (×{' '}
          {ratio.toFixed(ratio < 10 ? 2 : 0)})
        </li>
      ))}
    </ul>
  )
}

interface Drawn {
  times: number[]
  series: Series[]
}

/** Dots for results; a line for the level between lasting changes. */
function latestOf(strip: TestDetail['strip'], steps: readonly Step[]): Drawn {
  const measured = strip.filter(({ durationMs }) => durationMs !== null).toReversed()
  const isFailed = ({ status }: TestDetail['strip'][number]) => status === 'failed' || status === 'muted'
  const values = (failed: boolean) => measured.map((each) => (isFailed(each) === failed ? each.durationMs : null))
  const levels = measured.map(({ at }) => {
    const step = steps.findLast((each) => each.at <= at)
    return step?.afterMs ?? steps[0]?.beforeMs ?? null
  })
  return {
    times: measured.map(({ at }) => Date.parse(at) / 1_000),
    series: [
      { label: 'Passed', color: '--good', values: values(false), dots: true },
      ...(measured.some(isFailed)
        ? [{ label: 'Failed', color: '--bad', values: values(true), dots: true, dash: [4, 3] }]
        : []),
      ...(steps.length > 0 ? [{ label: 'Level', color: '--busy', values: levels, stepped: true, dash: [6, 2] }] : []),
    ],
  }
}

function dailyOf(days: TestDetail['days']): Drawn {
  const measured = days.filter(({ p50Ms }) => p50Ms !== null)
  return {
    times: measured.map(({ day }) => Date.parse(`${day}T00:00:00Z`) / 1_000),
    series: [
      { label: 'Median', color: '--busy', values: measured.map(({ p50Ms }) => p50Ms) },
      { label: '95th percentile', color: '--warn', dash: [4, 3], values: measured.map(({ p95Ms }) => p95Ms) },
    ],
  }
}
