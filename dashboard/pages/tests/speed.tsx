import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Outputs, trpc } from '../../api.ts'
import { CodeLink } from '../../parts/code-link.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { formatPercent } from '../../parts/number-text.ts'
import { Count } from '../../parts/numbers.tsx'
import { Facts, Section } from '../../parts/page.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Duration, Time } from '../../parts/time.tsx'
import { variantParam } from '../../parts/test-names.ts'

type Speed = Outputs['tests']['speed']
type File = Speed['files'][number]
type Step = Speed['steps'][number]

/** What the time of the latest run consists of, which tests became slower, and the slowest files. */
export function SpeedParts({ projectId }: { projectId: string }) {
  const query = useQuery(trpc.tests.speed.queryOptions({ projectId }, { staleTime: 60_000 }))
  return (
    <Loaded query={query}>
      {({ run, steps, files, totalMs }) => (
        <>
          {run === null ? undefined : <LatestRun projectId={projectId} run={run} totalMs={totalMs} />}
          {steps.length === 0 ? undefined : (
            <Section title="Lasting changes of the slowest tests">
              <Table
                label="Lasting changes"
                columns={stepColumns(projectId)}
                rows={steps}
                rowKey={({ testId, variant }) => `${testId} ${variant}`}
                tone={({ ratio }) => (ratio > 1 ? 'warn' : undefined)}
              />
            </Section>
          )}
          {files.length === 0 ? undefined : (
            <Section title="Slowest files">
              <Table
                label="Slowest files"
                columns={fileColumns(projectId, totalMs)}
                rows={files}
                rowKey={({ file }) => file ?? ''}
              />
            </Section>
          )}
          <h2>Slowest tests</h2>
        </>
      )}
    </Loaded>
  )
}

interface LatestRunProps {
  projectId: string
  run: NonNullable<Speed['run']>
  totalMs: number | null
}

const phaseTexts: Record<string, string> = { install: 'Install', prepare: 'Prepare', test: 'Tests', upload: 'Uploads' }

function LatestRun({ projectId, run: { runId, durationMs, phases, testMs }, totalMs }: LatestRunProps) {
  return (
    <Section title="Time of the latest run">
      <Facts
        of={[
          [
            'Whole run',
            <Link key="run" to="/projects/$projectId/runs/$runId" params={{ projectId, runId }} preload={false}>
              <Duration ms={durationMs} />
            </Link>,
          ],
          ...phases.map(({ kind, ms }): [string, ReactNode] => [
            phaseTexts[kind] ?? kind,
            <Duration key={kind} ms={ms} />,
          ]),
          testMs !== null && ['Its tests, added up', <Duration key="tests" ms={testMs} />],
          totalMs !== null && ['Medians of all tests, added up', <Duration key="medians" ms={totalMs} />],
        ]}
      />
    </Section>
  )
}

const stepColumns = (projectId: string): Column<Step>[] => [
  {
    id: 'test',
    title: 'Test',
    cell: ({ testId, variant, name }) => (
      <Link
        to="/projects/$projectId/tests/$testId"
        params={{ projectId, testId }}
        search={variant === '' ? {} : { variant: variantParam(variant) }}
        preload={false}
      >
        <ShortText text={name} limit={200} />
      </Link>
    ),
    value: ({ suite, name, variant }) => [suite, name, variant].filter((part) => part !== '').join(' > '),
  },
  { id: 'since', title: 'Since', cell: ({ at }) => <Time at={at} />, value: ({ at }) => at },
  {
    id: 'before',
    title: 'Before',
    align: 'right',
    cell: ({ beforeMs }) => <Duration ms={beforeMs} />,
    value: ({ beforeMs }) => beforeMs,
  },
  {
    id: 'after',
    title: 'After',
    align: 'right',
    cell: ({ afterMs }) => <Duration ms={afterMs} />,
    value: ({ afterMs }) => afterMs,
  },
  {
    id: 'change',
    title: 'Change',
    align: 'right',
    cell: ({ ratio }) => (
      <span className="number">
        {ratio > 1 ? '+' : '−'}
        {formatPercent(Math.abs(ratio - 1) * 100)}
      </span>
    ),
    value: ({ ratio }) => ratio,
  },
]

const fileColumns = (projectId: string, totalMs: number | null): Column<File>[] => [
  {
    id: 'file',
    title: 'File',
    cell: ({ file }) => (file === null ? 'Without a file' : <CodeLink projectId={projectId} path={file} />),
    value: ({ file }) => file ?? '',
  },
  {
    id: 'tests',
    title: 'Tests',
    align: 'right',
    cell: ({ tests }) => <Count of={tests} />,
    value: ({ tests }) => tests,
  },
  { id: 'time', title: 'Time', align: 'right', cell: ({ ms }) => <Duration ms={ms} />, value: ({ ms }) => ms },
  {
    id: 'share',
    title: 'Share',
    align: 'right',
    cell: ({ ms }) =>
      totalMs === null || totalMs === 0 ? undefined : (
        <span className="number">{formatPercent((100 * ms) / totalMs)}</span>
      ),
  },
]
