import { useMemo } from 'react'
import { formatPercent } from '../../parts/number-text.ts'
import { Section } from '../../parts/page.tsx'
import { Plot } from '../../parts/plot.tsx'
import type { Run } from './query.ts'

/** The coverage of the latest whole runs of a branch, given newest first. */
export default function Trend({ branch, runs }: { branch: string | null; runs: readonly Run[] }) {
  const { times, series } = useMemo(() => {
    const points = runs.toReversed()
    return {
      times: points.map(({ createdAt }) => Date.parse(createdAt) / 1_000),
      series: [{ label: 'covered lines', color: '--accent', values: points.map(({ coverage }) => coverage) }],
    }
  }, [runs])
  return (
    <Section title="Trend">
      <Plot
        title={branch === null ? 'Coverage of the latest runs' : `Coverage of ${branch}`}
        times={times}
        series={series}
        format={formatPercent}
        range={whole}
      />
    </Section>
  )
}

const whole = [0, 100] as const
