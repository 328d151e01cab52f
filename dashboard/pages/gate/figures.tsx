import { Link } from '@tanstack/react-router'
import { CodeLink } from '../../parts/code-link.tsx'
import { Commit } from '../../parts/copy.tsx'
import { flooredPercent } from '../../parts/gate.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { formatCount, plural } from '../../parts/number-text.ts'
import { Change } from '../../parts/numbers.tsx'
import { Facts, Section } from '../../parts/page.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import type { Figures, Gate } from './types.ts'

interface FiguresProps {
  gate: Gate
  of: Figures
}

/** Coverage of the change and of the project, and which results it follows from. */
export function FiguresOfGate({ gate, of }: FiguresProps) {
  const { lines, branches, uncovered, changedFiles, project } = of
  return (
    <>
      <Section title="Coverage">
        <div className="page-lines">
          <Facts
            of={[
              ['Changed lines', <ShareOf key="lines" of={lines} nothing="No report names a changed line." />],
              branches !== null && ['Branches', <ShareOf key="branches" of={branches} nothing="none" />],
              ['Lines that no test runs', formatCount(uncovered)],
              ['Changed files with code', formatCount(changedFiles)],
              project !== null && ['Project', <OfProject key="project" of={project} />],
            ]}
          />
          <Unmeasured gate={gate} of={of} />
          <Matched of={of.matched} />
        </div>
      </Section>
      <Section title="Runs and uploads">
        <Facts
          of={[
            ['Runs', <Runs key="runs" gate={gate} of={of.runs} />],
            ['Uploads', <Uploads key="uploads" of={of.uploads} />],
          ]}
        />
      </Section>
    </>
  )
}

function ShareOf({ of, nothing }: { of: Figures['lines']; nothing: string }) {
  if (of.percent === null) return <span className="quiet">{nothing}</span>
  return (
    <span className="percent">
      <meter className="meter" min={0} max={100} value={of.percent} aria-hidden="true" />
      <span className="number">
        {flooredPercent(of.percent)} ({formatCount(of.covered)} of {formatCount(of.total)})
      </span>
    </span>
  )
}

const points = (by: number) => `${by < 0 ? '−' : '+'}${Math.abs(by).toFixed(Math.abs(by) < 0.1 ? 2 : 1)} points`

function OfProject({ of }: { of: NonNullable<Figures['project']> }) {
  const { head, change, fromRemoved, baseSha } = of
  return (
    <span className="stack">
      <span className="percent">
        <span className="number">{flooredPercent(head)}</span>
        {change === null || Math.abs(change) < 0.005 ? undefined : <Change by={change} />}
      </span>
      {change === null ? <span className="quiet">No commit of the base was measured.</span> : undefined}
      {fromRemoved === null || Math.abs(fromRemoved) < 0.005 ? undefined : (
        <span className="quiet">{points(fromRemoved)} because code was removed</span>
      )}
      {baseSha === null ? undefined : (
        <span className="quiet">
          compared with <Commit sha={baseSha} />
        </span>
      )}
    </span>
  )
}

function Unmeasured({ gate, of: { unmeasured, unmeasuredCount } }: FiguresProps) {
  if (unmeasuredCount === 0) return undefined
  const more = unmeasuredCount - unmeasured.length
  const { projectId, headSha, snapshotId } = gate
  return (
    <>
      <h3 id="unmeasured">Changed code that no report names</h3>
      <p className="line-links">
        {unmeasured.map((path) => (
          <CodeLink key={path} projectId={projectId} commitSha={headSha} snapshotId={snapshotId} path={path} />
        ))}
        {more > 0 ? <span className="quiet">and {plural(more, 'more file')}</span> : undefined}
      </p>
    </>
  )
}

const matchedColumns: readonly Column<Figures['matched'][number]>[] = [
  { id: 'path', title: 'File', cell: ({ path }) => <ShortText text={path} />, value: ({ path }) => path },
  {
    id: 'reported',
    title: 'In the report',
    cell: ({ reported }) => <ShortText text={reported} />,
    value: ({ reported }) => reported,
  },
]

/** Files that reports name by another path, such as one of the machine that ran the tests. */
function Matched({ of }: { of: Figures['matched'] }) {
  if (of.length === 0) return undefined
  return (
    <>
      <h3>Files found by the end of their path</h3>
      <Table
        label="Files found by the end of their path"
        columns={matchedColumns}
        rows={of}
        rowKey={({ path }) => path}
      />
    </>
  )
}

function Runs({ gate: { projectId, headSha, snapshotId }, of }: { gate: Gate; of: Figures['runs'] }) {
  const text = `${formatCount(of.ended)} ended, ${formatCount(of.open)} not finished`
  if (headSha === null || snapshotId !== null) return text
  return (
    <Link to="/projects/$projectId/runs" params={{ projectId }} search={{ commit: headSha }}>
      {text}
    </Link>
  )
}

function Uploads({ of: { names, count, isDone } }: { of: Figures['uploads'] }) {
  return (
    <span className="row">
      <span>{plural(count, 'upload')}</span>
      {names.map((name) => (
        <span key={name} className="tag">
          <ShortText text={name} limit={60} />
        </span>
      ))}
      {isDone ? <span className="quiet">CI said that no more come</span> : undefined}
    </span>
  )
}
