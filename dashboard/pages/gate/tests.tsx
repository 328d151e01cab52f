import { Link } from '@tanstack/react-router'
import { VariantTag } from '../../parts/health.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { plural } from '../../parts/number-text.ts'
import { Section } from '../../parts/page.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { variantParam } from '../../parts/test-names.ts'
import type { Figures } from './types.ts'

type NamedTest = Figures['failures']['fresh'][number]

interface FailuresProps {
  projectId: string
  of: Figures['failures']
}

/** Tests that fail with the change and did not before, and how many failures do not count. */
export function NewFailures({ projectId, of }: FailuresProps) {
  const { fresh, freshCount, known, muted } = of
  const others = [
    known > 0 ? `${plural(known, 'failure')} from before the change` : '',
    muted > 0 ? plural(muted, 'muted failure') : '',
  ].filter(Boolean)
  if (freshCount === 0 && others.length === 0) return undefined
  return (
    <Section title="Tests that fail with the change">
      {freshCount > 0 ? (
        <TestTable label="Tests that fail with the change" projectId={projectId} of={fresh} count={freshCount} />
      ) : undefined}
      {others.length > 0 ? <p className="quiet">Not counted: {others.join(' and ')}.</p> : undefined}
    </Section>
  )
}

interface FlakyProps {
  projectId: string
  of: Figures['flaky']
}

export function NewFlaky({ projectId, of }: FlakyProps) {
  if (of.freshCount === 0) return undefined
  return (
    <Section title="Tests that became flaky">
      <TestTable label="Tests that became flaky" projectId={projectId} of={of.fresh} count={of.freshCount} />
    </Section>
  )
}

interface TableProps {
  label: string
  projectId: string
  of: readonly NamedTest[]
  count: number
}

function TestTable({ label, projectId, of, count }: TableProps) {
  return (
    <>
      <Table
        label={label}
        columns={columnsOf(projectId)}
        rows={of}
        rowKey={({ testId, variant }) => `${testId} ${variant}`}
      />
      {count > of.length ? <p className="quiet">and {plural(count - of.length, 'more test')}.</p> : undefined}
    </>
  )
}

interface TestLinkProps {
  projectId: string
  of: Pick<NamedTest, 'testId' | 'variant' | 'name'>
}

export const TestLink = ({ projectId, of: { testId, variant, name } }: TestLinkProps) => (
  <Link
    to="/projects/$projectId/tests/$testId"
    params={{ projectId, testId }}
    search={variant === '' ? {} : { variant: variantParam(variant) }}
    preload={false}
    className="name-cell"
  >
    <ShortText text={name} />
  </Link>
)

const columnsOf = (projectId: string): readonly Column<NamedTest>[] => [
  {
    id: 'test',
    title: 'Test',
    cell: ({ testId, variant, name }) => (
      <>
        <TestLink projectId={projectId} of={{ testId, variant, name }} /> <VariantTag of={variant} />
      </>
    ),
    value: ({ name }) => name,
  },
  {
    id: 'suite',
    title: 'Suite',
    minor: true,
    cell: ({ suite }) => <ShortText text={suite} />,
    value: ({ suite }) => suite,
  },
  {
    id: 'file',
    title: 'File',
    minor: true,
    cell: ({ file }) => (file === null ? <span className="quiet">–</span> : <ShortText text={file} />),
    value: ({ file }) => file,
  },
  {
    id: 'run',
    title: 'Run',
    cell: ({ runId, testId, name }) => (
      <Link
        to="/projects/$projectId/runs/$runId"
        params={{ projectId, runId }}
        search={{ tab: 'results', test: testId }}
        preload={false}
      >
        Result<span className="visually-hidden"> of {name.slice(0, 120)}</span>
      </Link>
    ),
    value: ({ runId }) => runId,
  },
]
