import { useNavigate } from '@tanstack/react-router'
import { type MouseEvent, useEffect, useId, useRef, useState } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { formatPercent } from '../../parts/number-text.ts'
import { savePng, saveSvg } from '../../parts/picture.ts'
import { squarify, type Tile } from './layout.ts'
import { type Entry, percentOf } from './query.ts'

interface TreemapProps {
  name: string
  entries: readonly Entry[]
  /** The address of the page of an entry. */
  hrefOf: (entry: Entry) => string
}

/** The steps of the scale: the least percent of each, from the worst to the best. */
const steps = [0, 25, 50, 75, 90] as const
const stepOf = (percent: number) => steps.findLastIndex((least) => percent >= least)

/** The entries of a folder as tiles. The area is the number of lines; color, pattern and number are the covered share. */
export function Treemap({ name, entries, hrefOf }: TreemapProps) {
  const holder = useRef<HTMLDivElement>(null)
  const svg = useRef<SVGSVGElement>(null)
  const [width, setWidth] = useState(0)
  const id = useId()
  useEffect(() => {
    const element = holder.current
    if (!element) return undefined
    const measure = () => setWidth(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const height = Math.round(Math.min(420, Math.max(220, width * 0.36)))
  const tiles = squarify(entries, ({ lines }) => lines.total, width, height)
  const fileName = `Coverage of ${name}`
  return (
    <figure className="treemap">
      <figcaption>
        <Scale />
        <span className="actions">
          <button type="button" className="plain export" onClick={() => svg.current && saveSvg(svg.current, fileName)}>
            <Icon name="download" /> SVG<span className="visually-hidden"> of the map</span>
          </button>
          <button
            type="button"
            className="plain export"
            onClick={() => svg.current && void savePng(svg.current, fileName)}
          >
            <Icon name="download" /> PNG<span className="visually-hidden"> of the map</span>
          </button>
        </span>
      </figcaption>
      <div ref={holder} style={{ height }}>
        {width > 0 ? (
          <svg
            ref={svg}
            width={width}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
            role="group"
            aria-label={fileName}
          >
            <defs>
              <pattern
                id={`${id}-dense`}
                width="5"
                height="5"
                patternUnits="userSpaceOnUse"
                patternTransform="rotate(45)"
              >
                <path className="hatch" d="M0 0v5" />
              </pattern>
              <pattern
                id={`${id}-sparse`}
                width="11"
                height="11"
                patternUnits="userSpaceOnUse"
                patternTransform="rotate(45)"
              >
                <path className="hatch" d="M0 0v11" />
              </pattern>
            </defs>
            {tiles.map((tile) => (
              <TileLink key={tile.item.path} tile={tile} href={hrefOf(tile.item)} patterns={id} />
            ))}
          </svg>
        ) : undefined}
      </div>
    </figure>
  )
}

interface TileProps {
  tile: Tile<Entry>
  href: string
  patterns: string
}

function TileLink({ tile: { item, x, y, width, height }, href, patterns }: TileProps) {
  const navigate = useNavigate()
  const percent = percentOf(item.lines) ?? 0
  const step = stepOf(percent)
  const shownName = item.path.slice(item.path.lastIndexOf('/') + 1) + (item.kind === 'folder' ? '/' : '')
  const title = `${item.path}${item.kind === 'folder' ? '/' : ''}: ${formatPercent(percent)} of ${item.lines.total} lines`
  const open = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    void navigate({ href })
  }
  // A character takes about 6.6 px at 12 px.
  const characters = Math.floor((width - 10) / 6.6)
  const pattern = step === 0 ? `${patterns}-dense` : step === 1 ? `${patterns}-sparse` : undefined
  const inner = { x: x + 1, y: y + 1, width: Math.max(0, width - 2), height: Math.max(0, height - 2) }
  return (
    <a href={href} onClick={open} className={`tile tile-${step}`}>
      <title>{title}</title>
      <rect {...inner} className="tile-ground" />
      {pattern ? <rect {...inner} fill={`url(#${pattern})`} /> : undefined}
      {characters >= 4 && height >= 20 ? (
        <text x={x + 7} y={y + 17} className="tile-name" aria-hidden="true">
          {shownName.length > characters ? `${shownName.slice(0, characters - 1)}…` : shownName}
        </text>
      ) : undefined}
      {characters >= 6 && height >= 38 ? (
        <text x={x + 7} y={y + 33} className="tile-number" aria-hidden="true">
          {formatPercent(percent)}
        </text>
      ) : undefined}
    </a>
  )
}

/** What the colors and patterns of the tiles mean. */
function Scale() {
  return (
    <span className="scale">
      <span>Area: lines. Covered:</span>
      {steps.map((least, index) => (
        <span key={least} className="scale-step">
          <svg viewBox="0 0 16 12" aria-hidden="true" className={`tile-${index}`}>
            <rect width="16" height="12" className="tile-ground" />
            {index < 2 ? (
              <path
                className="hatch"
                d={index === 0 ? 'M0 6L6 0M0 12L12 0M4 12L16 0M10 12L16 6' : 'M0 12L12 0M12 12L16 8'}
              />
            ) : undefined}
          </svg>
          {least}–{steps[index + 1] ?? 100} %
        </span>
      ))}
    </span>
  )
}
