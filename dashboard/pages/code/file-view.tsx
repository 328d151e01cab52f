import { getRouteApi, useLocation } from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import { Filters, SelectField } from '../../parts/filters.tsx'
import { runName } from '../../parts/run-name.ts'
import { useKeys } from '../../shell/keys.ts'
import { CodeLines } from './lines.tsx'
import { LinePanel } from './line-panel.tsx'
import { type CodeFile, factsOf } from './query.ts'

const route = getRouteApi('/projects/$projectId/code')

/** The lines of a file with what is known of them, and a panel for the selected line. */
export function FileView({ file, totalLines }: { file: CodeFile; totalLines: number }) {
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const facts = useMemo(() => factsOf(file), [file])
  const line = search.line === undefined || search.line === 0 ? undefined : Math.min(search.line, totalLines)
  const select = (next: number | undefined) =>
    void navigate({ search: { ...search, line: next }, replace: true, resetScroll: false })
  const { stops } = facts
  const next = () => select(stops.find((stop) => stop > (line ?? 0)) ?? stops[0])
  const previous = () => select(stops.findLast((stop) => stop < (line ?? totalLines + 1)) ?? stops.at(-1))
  useKeys({
    n: next,
    p: previous,
    j: () => select(Math.min(totalLines, (line ?? 0) + 1)),
    k: () => select(Math.max(1, (line ?? 2) - 1)),
    Escape: () => select(undefined),
  })
  useLineOfHash(select)
  return (
    <>
      <Filters>
        <SelectField
          label="Coverage of"
          wide
          any={file.coverage && !search.run ? `Latest: ${runName(file.coverage)}` : 'Latest run'}
          value={search.run}
          options={file.runs.map((run) => [run.runId, runName(run)])}
          onChange={(run) => void navigate({ search: { ...search, run, commit: undefined }, replace: true })}
        />
        <label className="filter line-field">
          <span>Line</span>
          <input
            type="number"
            min={1}
            max={totalLines}
            value={line ?? ''}
            onChange={(event) => select(event.target.value === '' ? undefined : event.target.valueAsNumber)}
          />
        </label>
        <button type="button" className="plain" disabled={stops.length === 0} onClick={previous} aria-keyshortcuts="p">
          Previous gap <kbd aria-hidden="true">p</kbd>
        </button>
        <button type="button" className="plain" disabled={stops.length === 0} onClick={next} aria-keyshortcuts="n">
          Next gap <kbd aria-hidden="true">n</kbd>
        </button>
        <Legend />
      </Filters>
      {file.coverage ? undefined : <p className="quiet coverage-reason">{whyUnknown(file, search.run)}</p>}
      <div className="code-view">
        <CodeLines
          key={`${file.commitSha} ${file.snapshotId} ${file.path}`}
          projectId={projectId}
          file={file}
          totalLines={totalLines}
          facts={facts}
          line={line}
          onSelect={select}
        />
        <LinePanel projectId={projectId} file={file} facts={facts} line={line} onSelect={select} />
      </div>
    </>
  )
}

function whyUnknown({ runs }: CodeFile, chosen: string | undefined): string {
  if (chosen !== undefined) return 'This run did not measure the coverage of this file.'
  return runs.length === 0
    ? 'No run has measured the coverage of this file.'
    : 'No run has measured this content of the file. “Coverage of” lists runs that measured it on other commits.'
}

function Legend() {
  return (
    <ul className="plain-list legend">
      <li>
        <span className="mark mark-covered" /> covered
      </li>
      <li>
        <span className="mark mark-partial" /> partly
      </li>
      <li>
        <span className="mark mark-uncovered" /> no test runs it
      </li>
      <li>
        <span className="survivor-count">2</span> survivors
      </li>
    </ul>
  )
}

/** Addresses such as `#L12`, as code hosts write them, select their line. */
function useLineOfHash(select: (line: number) => void): void {
  const hash = useLocation({ select: (location) => location.hash })
  const choose = useRef(select)
  choose.current = select
  useEffect(() => {
    const line = /^L?(\d{1,7})$/.exec(hash)?.[1]
    if (line !== undefined) choose.current(Number(line))
  }, [hash])
}
