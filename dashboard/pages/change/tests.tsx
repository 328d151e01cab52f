import { CodeLink, type CodeOf } from '../../parts/code-link.tsx'
import { InlineText, LongText } from '../../parts/long-text.tsx'
import { plural } from '../../parts/number-text.ts'
import { Section } from '../../parts/page.tsx'
import { Prose } from '../../parts/prose.tsx'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { formatDuration } from '../../parts/time-text.ts'
import type { Evidence } from './types.ts'

type Test = Evidence['tests'][number]

/** The tests before the change and after it, and how the new and changed ones ended without it. */
export function Tests({ evidence, code }: { evidence: Evidence; code: CodeOf }) {
  const { tests, counts } = evidence
  const columns = columnsFor(code)
  return (
    <Section title="Tests">
      <div className="page-lines">
        <div className="facts">
          <Side name="Before" of={evidence.base} />
          <Side name="With the change" of={evidence.head} />
          {Object.entries(counts)
            .filter(([, count]) => count > 0)
            .map(([transition, count]) => (
              <div key={transition}>
                <span className="fact-name">{looks[transition as Test['transition']].text}</span>
                <span className="number">{count}</span>
              </div>
            ))}
        </div>
        {tests.length > 0 ? (
          <Table
            label="Tests that the change affects"
            columns={columns}
            rows={tests}
            rowKey={({ test, file, transition }) => `${file} ${test} ${transition}`}
            tone={({ transition }) =>
              transition === 'broken' || transition === 'new_failing'
                ? 'bad'
                : transition === 'flaky'
                  ? 'warn'
                  : undefined
            }
          />
        ) : (
          <p className="quiet">No test belongs to the change, and none ended differently with it.</p>
        )}
      </div>
    </Section>
  )
}

function Side({ name, of }: { name: string; of: Evidence['base'] }) {
  return (
    <div>
      <span className="fact-name">{name}</span>
      <span className="row">
        <Status
          of={of.outcome === 'not_run' || of.outcome === 'no_tests' ? 'skipped' : of.outcome}
          text={sides[of.outcome]}
        />
        {of.totalTests > 0 ? (
          <span>
            {plural(of.totalTests, 'test')}, {of.failedTests} failed
          </span>
        ) : undefined}
        <span className="quiet">
          {of.cached ? 'known before' : of.durationMs > 0 ? formatDuration(of.durationMs) : ''}
        </span>
      </span>
      {of.problem === null ? undefined : <Prose text={of.problem} />}
    </div>
  )
}

const sides: Record<Evidence['base']['outcome'], string> = {
  passed: 'Passed',
  failed: 'Failed',
  not_built: 'Not built',
  no_tests: 'No tests',
  not_run: 'Not run',
}

const looks: Record<Test['transition'], { status: string; text: string }> = {
  broken: { status: 'failed', text: 'Broken' },
  new_failing: { status: 'failed', text: 'New, fails' },
  flaky: { status: 'flaky', text: 'Flaky' },
  fails_both: { status: 'skipped', text: 'Fails before and after' },
  fails_to_passes: { status: 'passed', text: 'Fixed by the change' },
  new_passing: { status: 'passed', text: 'New, passes' },
  passes_to_passes: { status: 'passed', text: 'Passes before and after' },
  gone: { status: 'cancelled', text: 'Gone' },
}

const without: Record<NonNullable<Test['withoutChange']>, { status: string; text: string }> = {
  fails: { status: 'passed', text: 'Fails: proves something' },
  not_built: { status: 'error', text: 'Cannot be loaded' },
  passes: { status: 'unproved', text: 'Passes: proves nothing' },
  not_run: { status: 'skipped', text: 'Not run' },
}

const columnsFor = (code: CodeOf): readonly Column<Test>[] => [
  {
    id: 'transition',
    title: 'Result',
    cell: ({ transition }) => <Status of={looks[transition].status} text={looks[transition].text} />,
    value: ({ transition }) => transition,
  },
  {
    id: 'test',
    title: 'Test',
    cell: ({ test, failure }) => (
      <div className="test-cell">
        <InlineText text={test} max={200} />
        {failure?.message ? (
          <LongText label={`Message of ${test.slice(0, 100)}`} text={failure.message} limit={1_500} />
        ) : undefined}
      </div>
    ),
    value: ({ test }) => test,
  },
  {
    id: 'without',
    title: 'Without the change',
    cell: ({ withoutChange }) =>
      withoutChange === null ? (
        <span className="quiet">–</span>
      ) : (
        <Status of={without[withoutChange].status} text={without[withoutChange].text} />
      ),
    value: ({ withoutChange }) => withoutChange,
  },
  {
    id: 'of',
    title: 'Of the change',
    minor: true,
    cell: ({ isOfChange }) => isOfChange ?? <span className="quiet">–</span>,
    value: ({ isOfChange }) => isOfChange,
  },
  {
    id: 'file',
    title: 'Place',
    minor: true,
    cell: ({ file, line, failure }) => {
      const path = failure?.file ?? file
      return path === null ? undefined : <CodeLink {...code} path={path} line={failure?.line ?? line} />
    },
    value: ({ file, line }) => (line === null ? file : `${file}:${line}`),
  },
]
