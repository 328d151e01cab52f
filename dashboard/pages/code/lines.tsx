import { useQueries } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type MouseEvent, useEffect, useMemo, useRef, useState } from 'react'
import { Problem } from '../../parts/loaded.tsx'
import { type CodeFile, type LineFacts, type Lines, linesQuery, pageSize } from './query.ts'

interface CodeLinesProps {
  projectId: string
  file: CodeFile
  totalLines: number
  facts: LineFacts
  line: number | undefined
  onSelect: (line: number | undefined) => void
}

const rowHeight = 21
/** A fast scroll loads only where it ends. */
const restMs = 80

/** The lines of a file. Only the visible ones are in the document, and only their pages are loaded. */
export function CodeLines({ projectId, file, totalLines, facts, line, onSelect }: CodeLinesProps) {
  const frame = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: totalLines,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 20,
    initialOffset: line === undefined ? 0 : Math.max(0, (line - 8) * rowHeight),
  })
  const visible = rows.getVirtualItems()
  const first = visible[0]?.index ?? 0
  const pages = usePages(projectId, file, first, visible.at(-1)?.index ?? 0)
  const previous = useRef(line)
  useEffect(() => {
    if (line !== undefined && line !== previous.current) rows.scrollToIndex(line - 1, { align: 'auto' })
    previous.current = line
  }, [line, rows])
  const digits = String(totalLines).length
  return (
    <div className="code-lines">
      {pages.problem}
      <div
        ref={frame}
        className="code-frame"
        tabIndex={0}
        role="region"
        aria-label={`Code of ${file.path}`}
        style={{ maxHeight: totalLines * rowHeight + 24 }}
      >
        <div style={{ height: rows.getTotalSize() }}>
          <ol
            className="code-rows"
            start={first + 1}
            style={{ transform: `translateY(${first * rowHeight}px)`, ['--digits' as string]: `${digits}ch` }}
          >
            {visible.map(({ index }) => (
              <CodeRow
                key={index}
                line={index + 1}
                tokens={pages.tokensOf(index + 1)}
                leftOut={pages.leftOutOf(index + 1)}
                facts={facts}
                isSelected={line === index + 1}
                onSelect={onSelect}
              />
            ))}
          </ol>
        </div>
      </div>
    </div>
  )
}

type Tokens = Lines['lines'][number]

/** Loads the pages in view, and finds lines in them. */
function usePages(projectId: string, file: CodeFile, first: number, last: number) {
  const [from, to] = useRested(Math.floor(first / pageSize), Math.floor(last / pageSize))
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const pages = useQueries({ queries: numbers.map((page) => linesQuery(projectId, file, page)) })
  const failed = pages.find(({ error }) => error)
  const pageOf = (line: number) => pages[Math.floor((line - 1) / pageSize) - from]?.data
  return {
    problem: failed ? <Problem error={failed.error} retry={() => failed.refetch()} /> : undefined,
    tokensOf: (line: number): Tokens | undefined => pageOf(line)?.lines[(line - 1) % pageSize],
    leftOutOf: (line: number) => pageOf(line)?.truncatedLines.find((each) => each.line === line)?.leftOut,
  }
}

function useRested(first: number, last: number): readonly [number, number] {
  const [rested, setRested] = useState<readonly [number, number]>([first, last])
  useEffect(() => {
    const timer = setTimeout(() => setRested([first, last]), restMs)
    return () => clearTimeout(timer)
  }, [first, last])
  const isNear = first <= rested[1] + 1 && last >= rested[0] - 1
  return isNear ? [first, last] : rested
}

interface CodeRowProps {
  line: number
  tokens: Tokens | undefined
  leftOut: number | undefined
  facts: LineFacts
  isSelected: boolean
  onSelect: (line: number | undefined) => void
}

const said = { covered: 'covered', uncovered: 'no test runs it', partial: 'partly covered' } as const

function CodeRow({ line, tokens, leftOut, facts, isSelected, onSelect }: CodeRowProps) {
  const mark = facts.marks.get(line)
  const branches = facts.branches.get(line)
  const survived = facts.tried.get(line)?.survived ?? facts.survivors.get(line)?.length ?? 0
  const [survivor] = facts.survivors.get(line) ?? []
  const symbol = facts.symbols.get(line)
  const select = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    onSelect(isSelected ? undefined : line)
  }
  const selectAnywhere = ({ target }: MouseEvent) => {
    const isNumber = target instanceof Element && target.closest('a') !== null
    if (!isNumber && !isSelected && getSelection()?.isCollapsed !== false) onSelect(line)
  }
  const state = [
    mark && said[mark],
    branches && branches.taken < branches.total ? `${branches.taken} of ${branches.total} branches taken` : undefined,
    survived > 0 ? `${survived} ${survived === 1 ? 'survivor' : 'survivors'}` : undefined,
  ]
    .filter((each) => each !== undefined)
    .join(', ')
  return (
    <li
      onClick={selectAnywhere}
      className={`code-row${mark ? ` row-${mark}` : ''}`}
      aria-current={isSelected ? 'true' : undefined}
      title={state || undefined}
    >
      <a href={addressOf(line)} className="line-number" onClick={select} tabIndex={isSelected ? 0 : -1}>
        <span className="visually-hidden">Line </span>
        {line}
        {state === '' ? undefined : <span className="visually-hidden">, {state}</span>}
      </a>
      <span className={mark ? `mark mark-${mark}` : 'mark'} />
      <span className="survivor-cell">
        {survived > 0 ? <span className="survivor-count">{survived}</span> : undefined}
      </span>
      <code>{tokens === undefined ? <span className="placeholder" /> : <Text tokens={tokens} />}</code>
      {leftOut === undefined ? undefined : <span className="left-out">… {leftOut} more characters</span>}
      {survivor ? (
        <span className="survivor-note">
          survives: {survivor.after.replaceAll(/\s+/g, ' ').slice(0, 80) || '(nothing)'}
          {survived > 1 ? `, and ${survived - 1} more` : ''}
        </span>
      ) : undefined}
      {symbol ? (
        <span className="symbol-note">
          complexity {symbol.complexity} · rank {symbol.rank}
        </span>
      ) : undefined}
    </li>
  )
}

function addressOf(line: number): string {
  const query = new URLSearchParams(location.search)
  query.set('line', String(line))
  return `?${query.toString()}`
}

function Text({ tokens }: { tokens: Tokens }) {
  return useMemo(
    () =>
      tokens.map(([text, kind], index) => (
        <span key={index} className={kind === null ? undefined : `tok-${kind.split('.')[0]}`}>
          {text}
        </span>
      )),
    [tokens],
  )
}
