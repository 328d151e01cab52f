import { useMemo } from 'react'
import type { Outputs } from '../../api.ts'
import { formatPercent } from '../../parts/number-text.ts'
import { Plot } from '../../parts/plot.tsx'
import { formatDuration } from '../../parts/time-text.ts'

const percentRange = [0, 100] as const

/** How many runs passed, how long they took, and what they covered, by day. */
export function TrendPlots({ trends: { days } }: { trends: Outputs['projects']['trends'] }) {
  const plots = useMemo(() => {
    const times = days.map(({ day }) => Date.parse(`${day}T00:00:00Z`) / 1_000)
    return {
      times,
      rate: [
        {
          label: 'Runs that passed',
          color: '--good',
          values: days.map(({ passed, failed, errors }) => share(passed, passed + failed + errors)),
        },
      ],
      duration: [
        { label: 'Median', color: '--busy', values: days.map(({ durationP50 }) => durationP50) },
        { label: '95th percentile', color: '--warn', dash: [4, 3], values: days.map(({ durationP95 }) => durationP95) },
      ],
      coverage: [{ label: 'Lines covered', color: '--accent', values: days.map(({ coverage }) => coverage) }],
      hasCoverage: days.some(({ coverage }) => coverage !== null),
    }
  }, [days])
  if (days.length < 2) return undefined
  const { times } = plots
  return (
    <div className="plots">
      <Plot title="Pass rate" times={times} series={plots.rate} format={formatPercent} range={percentRange} />
      <Plot title="Duration of runs" times={times} series={plots.duration} format={formatDuration} />
      {plots.hasCoverage ? (
        <Plot title="Coverage" times={times} series={plots.coverage} format={formatPercent} range={percentRange} />
      ) : undefined}
    </div>
  )
}

const share = (part: number, whole: number) => (whole === 0 ? null : (100 * part) / whole)
