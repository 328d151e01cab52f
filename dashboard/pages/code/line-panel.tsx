import { Link } from '@tanstack/react-router'
import { caseOutcomes } from '../../parts/case-words.ts'
import { Icon } from '../../parts/icon.tsx'
import { Difference } from '../../parts/judged.tsx'
import { formatCount, formatPercent, plural } from '../../parts/number-text.ts'
import { Prose } from '../../parts/prose.tsx'
import type { CodeFile, LineFacts, Survivor } from './query.ts'
import { ReachingTests } from './reaching-tests.tsx'

interface PanelProps {
  projectId: string
  file: CodeFile
  facts: LineFacts
  line: number | undefined
  onSelect: (line: number | undefined) => void
}

/** What is known of the selected line; without one, what is open in the file. */
export function LinePanel(props: PanelProps) {
  const { line, onSelect } = props
  return (
    <aside
      className="line-panel card"
      aria-label={line === undefined ? 'The file' : 'The selected line'}
      aria-live="polite"
    >
      {line === undefined ? (
        <FileFacts {...props} />
      ) : (
        <>
          <div className="row panel-head">
            <h2>Line {formatCount(line)}</h2>
            <button type="button" className="plain icon-button" onClick={() => onSelect(undefined)}>
              <Icon name="close" />
              <span className="visually-hidden">Back to the file</span>
            </button>
          </div>
          <OneLine {...props} line={line} />
        </>
      )}
    </aside>
  )
}

function OneLine({ projectId, file, facts, line, onSelect }: PanelProps & { line: number }) {
  const mark = facts.marks.get(line)
  const branches = facts.branches.get(line)
  const tried = facts.tried.get(line)
  const survivors = facts.survivors.get(line) ?? []
  const symbol = file.symbols.findLast(({ startLine, endLine }) => startLine <= line && line <= endLine)
  return (
    <>
      <p>
        {mark === undefined
          ? file.coverage
            ? 'There is nothing to cover in this line.'
            : 'Its coverage is not known.'
          : mark === 'uncovered'
            ? 'No test runs this line.'
            : 'Tests run this line.'}
        {branches
          ? ` They take ${branches.taken} of its ${plural(branches.total, 'branch', 'branches')}.${branches.taken < branches.total ? ' Which ones is not recorded.' : ''}`
          : ''}
      </p>
      {tried ? (
        <p>
          {tried.tried - tried.survived} of {plural(tried.tried, 'small change')} of it{' '}
          {tried.tried - tried.survived === 1 ? 'is' : 'are'} noticed by a test.
        </p>
      ) : undefined}
      {survivors.map((survivor) => (
        <SurvivorItem key={`${survivor.column} ${survivor.after}`} projectId={projectId} of={survivor} />
      ))}
      {symbol ? <SymbolFacts of={symbol} onSelect={onSelect} /> : undefined}
      {mark === 'covered' || mark === 'partial' ? (
        <ReachingTests projectId={projectId} file={file} line={line} />
      ) : undefined}
    </>
  )
}

function SurvivorItem({ projectId, of }: { projectId: string; of: Survivor }) {
  return (
    <div className="panel-survivor">
      <Difference before={of.before} after={of.after} />
      {of.advice === null ? undefined : (
        <p>
          <Prose text={of.advice} max={500} />
        </p>
      )}
      <p className="quiet">
        {of.tests === null
          ? 'The tests that run it accept this change'
          : `${plural(of.tests, 'test')} ${of.tests === 1 ? 'runs' : 'run'} it and ${of.tests === 1 ? 'accepts' : 'accept'} this change`}
        {of.nearestTest ? (
          <>
            , the nearest is <code>{of.nearestTest.path}</code>{' '}
            {of.nearestTest.name === null ? undefined : <bdi>“{of.nearestTest.name.slice(0, 300)}”</bdi>}
          </>
        ) : undefined}
        .{' '}
        {of.measurementId === null ? undefined : (
          <Link
            to="/projects/$projectId/strength/$measurementId"
            params={{ projectId, measurementId: of.measurementId }}
            search={{}}
          >
            Measurement
          </Link>
        )}
      </p>
    </div>
  )
}

type RankedSymbol = CodeFile['symbols'][number]

function SymbolFacts({ of, onSelect }: { of: RankedSymbol; onSelect: PanelProps['onSelect'] }) {
  return (
    <div className="panel-symbol">
      <h3>
        <bdi>{of.name}</bdi>
      </h3>
      <p>
        Complexity {of.complexity}, rank {of.rank} of what to test
        {of.coverage === null
          ? ''
          : `, ${of.coverageSource === 'estimated' ? 'about ' : ''}${formatPercent(100 * of.coverage)} covered`}
        .
      </p>
      {of.reasons.length > 0 ? (
        <ul>
          {of.reasons.map((reason) => (
            <li key={reason}>
              <Prose text={reason} max={300} />
            </li>
          ))}
        </ul>
      ) : undefined}
      {of.cases.length > 0 ? (
        <>
          <p>Cases that no test takes:</p>
          <ul>
            {of.cases.map(({ id, line, condition, outcome, result }) => (
              <li key={id}>
                <button type="button" className="plain line-button" onClick={() => onSelect(line)}>
                  {line}
                </button>{' '}
                <code>{condition.slice(0, 300)}</code> {caseOutcomes[outcome]}{' '}
                {result === undefined ? undefined : <code>{result.slice(0, 300)}</code>}
              </li>
            ))}
          </ul>
        </>
      ) : undefined}
    </div>
  )
}

function FileFacts({ file, facts, onSelect }: PanelProps) {
  const lines = [...facts.survivors.keys()].toSorted((a, b) => a - b)
  return (
    <>
      <h2>In this file</h2>
      <p className="quiet">
        Select a line, or press <kbd>n</kbd> for the next one that tests do not run completely.
      </p>
      {facts.uncovered.length > 0 ? (
        <>
          <h3>Not run</h3>
          <LineButtons lines={facts.uncovered} onSelect={onSelect} />
        </>
      ) : undefined}
      {facts.partial.length > 0 ? (
        <>
          <h3>Partly run: a branch is missed</h3>
          <LineButtons lines={facts.partial} onSelect={onSelect} />
        </>
      ) : undefined}
      {lines.length > 0 ? (
        <>
          <h3>Changes that no test notices</h3>
          <LineButtons lines={lines} onSelect={onSelect} />
        </>
      ) : undefined}
      {file.symbols.length > 0 ? (
        <>
          <h3>Worth a test</h3>
          <ul className="plain-list panel-symbols">
            {file.symbols.slice(0, 40).map((symbol) => (
              <li key={`${symbol.name} ${symbol.startLine}`}>
                <button type="button" className="plain line-button" onClick={() => onSelect(symbol.startLine)}>
                  {symbol.startLine}
                </button>{' '}
                <bdi>{symbol.name}</bdi>{' '}
                <span className="quiet number">
                  complexity {symbol.complexity}, rank {symbol.rank}
                </span>
              </li>
            ))}
          </ul>
        </>
      ) : undefined}
    </>
  )
}

const shownLines = 60

function LineButtons({ lines, onSelect }: { lines: readonly number[]; onSelect: PanelProps['onSelect'] }) {
  return (
    <p className="line-buttons">
      {lines.slice(0, shownLines).map((line) => (
        <button key={line} type="button" className="plain line-button" onClick={() => onSelect(line)}>
          <span className="visually-hidden">Line </span>
          {line}
        </button>
      ))}
      {lines.length > shownLines ? (
        <span className="quiet">and {formatCount(lines.length - shownLines)} more</span>
      ) : undefined}
    </p>
  )
}
