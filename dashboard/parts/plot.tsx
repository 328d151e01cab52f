import { useEffect, useRef, useState } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { type Cell, download, toCsv } from './csv.ts'
import { Icon } from './icon.tsx'

export interface Series {
  label: string
  /** A custom property of the style sheet, such as `--accent`. */
  color: string
  values: readonly (number | null)[]
  /** Tells series apart without color. */
  dash?: readonly number[]
  /** Draws the values without a line between them. */
  dots?: boolean
  /** Draws a line that keeps each value until the next, without dots. */
  stepped?: boolean
}

interface PlotProps {
  title: string
  /** Unix times in seconds, ascending. */
  times: readonly number[]
  series: readonly Series[]
  format: (value: number) => string
  /** The range of the values; by default from 0 to the largest. */
  range?: readonly [number, number]
  height?: number
}

/** A plot of values over time, which can be saved as PNG and CSV; the table of values is below it for those who cannot see it. */
export function Plot({ title, times, series, format, range, height = 160 }: PlotProps) {
  const holder = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>(undefined)
  const [isDark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches)
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)')
    const change = () => setDark(query.matches)
    query.addEventListener('change', change)
    return () => query.removeEventListener('change', change)
  }, [])
  useEffect(() => {
    const element = holder.current
    if (!element) return undefined
    const made = new UPlot(
      optionsOf({ title, times, series, format, range, height }, element),
      [[...times], ...series.map(({ values }) => [...values])],
      element,
    )
    plot.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
    }
  }, [title, times, series, format, range, height, isDark])
  const rows: Cell[][] = times.map((time, at) => [
    new Date(time * 1_000).toISOString(),
    ...series.map(({ values }) => values[at] ?? null),
  ])
  const savePicture = () => plot.current?.ctx.canvas.toBlob((blob) => blob && download(`${title}.png`, blob))
  return (
    <figure className="plot">
      <figcaption>
        <span>{title}</span>
        <span className="plot-legend">
          {series.map(({ label, color, dash }) => (
            <span key={label}>
              <svg viewBox="0 0 20 4" aria-hidden="true">
                <path d="M0 2h20" style={{ stroke: `var(${color})`, strokeDasharray: dash?.join(' ') }} />
              </svg>
              {label}
            </span>
          ))}
        </span>
        <span className="actions">
          <button type="button" className="plain export" onClick={savePicture}>
            <Icon name="download" /> PNG<span className="visually-hidden"> of {title}</span>
          </button>
          <button
            type="button"
            className="plain export"
            onClick={() => download(`${title}.csv`, toCsv([['time', ...series.map(({ label }) => label)], ...rows]))}
          >
            <Icon name="download" /> CSV<span className="visually-hidden"> of {title}</span>
          </button>
        </span>
      </figcaption>
      <div ref={holder} className="plot-canvas" aria-hidden="true" style={{ height }} />
      {/* A table does not become as narrow as the class says. */}
      <div className="visually-hidden">
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th>Time</th>
              {series.map(({ label }) => (
                <th key={label}>{label}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(-60).map(([time, ...values]) => (
              <tr key={String(time)}>
                <th scope="row">{time}</th>
                {values.map((value, at) => (
                  <td key={series[at]?.label}>{typeof value === 'number' ? format(value) : '–'}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}

function optionsOf({ series, format, range, height = 160 }: PlotProps, element: HTMLElement): UPlot.Options {
  const style = getComputedStyle(element)
  const colorOf = (name: string) => resolveColor(element, name)
  const axis = {
    stroke: colorOf('--quiet'),
    grid: { stroke: colorOf('--line'), width: 1 },
    ticks: { stroke: colorOf('--line'), width: 1 },
    font: `11px ${style.fontFamily}`,
  }
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    scales: { y: { range: range ? () => [range[0], range[1]] : (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [axis, { ...axis, size: widthOf, values: (_, splits) => splits.map((value) => format(value)) }],
    series: [
      {},
      ...series.map(({ label, color, dash, dots, stepped }) => ({
        label,
        stroke: colorOf(color),
        width: 1.5,
        spanGaps: true,
        points: { show: !stepped, size: 4 },
        ...(dash ? { dash: [...dash] } : {}),
        ...(dots ? { paths: () => null } : {}),
        ...(stepped && UPlot.paths.stepped ? { paths: UPlot.paths.stepped({ align: 1 }) } : {}),
      })),
    ],
  }
}

/** The width that the labels of an axis need, with its ticks. */
function widthOf(_: UPlot, labels: readonly string[] | null): number {
  const characters = Math.max(0, ...(labels ?? []).map(({ length }) => length))
  return Math.max(40, Math.ceil(characters * 6.5) + 20)
}

/** Canvases do not know `light-dark()`, so the browser computes the color first. */
function resolveColor(element: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
