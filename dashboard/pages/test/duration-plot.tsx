import { useMemo } from 'react'
import { Plot, type Series } from '../../parts/plot.tsx'
import { formatDuration } from '../../parts/time-text.ts'
import type { PastResult } from './history.ts'

/** The duration of the test in each run, as dots: passed and failed runs differ by color and line. */
export function DurationPlot({ results }: { results: readonly PastResult[] }) {
  const { times, series } = useMemo(() => plotOf(results), [results])
  if (times.length === 0) return <p className="quiet">No run measured a duration.</p>
  return <Plot title="Duration" times={times} series={series} format={formatDuration} />
}

function plotOf(results: readonly PastResult[]): { times: number[]; series: Series[] } {
  const measured = results.filter(({ durationMs }) => durationMs !== null).toReversed()
  const values = (isFailed: boolean) =>
    measured.map(({ status, durationMs }) => ((status === 'failed') === isFailed ? durationMs : null))
  return {
    times: measured.map(({ ranAt }) => Date.parse(ranAt) / 1_000),
    series: [
      { label: 'Passed', color: '--good', values: values(false), dots: true },
      { label: 'Failed', color: '--bad', values: values(true), dots: true, dash: [4, 3] },
    ],
  }
}
