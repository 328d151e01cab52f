import { Link } from '@tanstack/react-router'
import { CodeLink } from '../../parts/code-link.tsx'
import { Count, Percent } from '../../parts/numbers.tsx'
import { Empty, Facts, Section } from '../../parts/page.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { isActive } from '../runs/words.ts'
import type { RunDetail } from './run.ts'

type WorstFile = NonNullable<RunDetail['coverageFigures']>['worst'][number]

/** What the tests of the run cover, in short. The coverage page has all of it. */
export function CoverageTab({ projectId, run }: { projectId: string; run: RunDetail }) {
  const { coverage, coverageFigures: figures } = run
  if (coverage === null || !figures) {
    return (
      <Empty title="This run measured no coverage">
        <p>
          {isActive(run)
            ? 'Coverage is read at the end of the run.'
            : 'Let the test command write a coverage report, or upload one with the results.'}
        </p>
      </Empty>
    )
  }
  return (
    <>
      <Facts
        of={[
          ['Lines covered', <Percent key="percent" of={coverage} />],
          ['Covered', <Count key="covered" of={figures.coveredLines} />],
          ['Not covered', <Count key="uncovered" of={figures.totalLines - figures.coveredLines} />],
          ['Files', <Count key="files" of={figures.files} />],
        ]}
      />
      <Section
        title="Files with the most untested lines"
        actions={
          <Link to="/projects/$projectId/coverage" params={{ projectId }} search={{ run: run.id }}>
            All files and folders
          </Link>
        }
      >
        <Table
          label="Files with the most untested lines"
          columns={columnsOf(projectId, run)}
          rows={figures.worst}
          rowKey={({ path }) => path}
        />
      </Section>
    </>
  )
}

function columnsOf(projectId: string, run: RunDetail): Column<WorstFile>[] {
  const state = { projectId, run: run.id, commitSha: run.commitSha, snapshotId: run.snapshotId }
  return [
    { id: 'path', title: 'File', cell: ({ path }) => <CodeLink {...state} path={path} />, value: ({ path }) => path },
    {
      id: 'uncovered',
      title: 'Untested lines',
      align: 'right',
      cell: ({ coveredLines, totalLines }) => <Count of={totalLines - coveredLines} />,
      value: ({ coveredLines, totalLines }) => totalLines - coveredLines,
    },
    {
      id: 'percent',
      title: 'Covered',
      align: 'right',
      cell: ({ coveredLines, totalLines }) => (
        <Percent of={totalLines === 0 ? null : (100 * coveredLines) / totalLines} />
      ),
      value: ({ coveredLines, totalLines }) => (totalLines === 0 ? null : (100 * coveredLines) / totalLines),
    },
  ]
}
