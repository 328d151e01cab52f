import { useMemo } from 'react'
import { formatPercent } from '../../parts/number-text.ts'
import { Plot } from '../../parts/plot.tsx'
import type { Row } from './columns.tsx'

/** The strength of all code over time. */
export default function Trend({ of }: { of: readonly Row[] }) {
  const { times, series } = useMemo(() => {
    const rows = of.toReversed()
    return {
      times: rows.map(({ createdAt }) => Date.parse(createdAt) / 1_000),
      series: [{ label: 'noticed', color: '--accent', values: rows.map(({ strength }) => strength?.percent ?? null) }],
    }
  }, [of])
  return <Plot title="Strength of all code" times={times} series={series} format={formatPercent} range={whole} />
}

const whole = [0, 100] as const
