import type { Outputs } from '../../api.ts'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'

type System = Outputs['system']['status']

interface Check {
  name: string
  ok: boolean
  pending?: boolean | undefined
  problem: string | null
  advice: string | null
}

/** Whether each part works, and what to do where it does not. */
export function Checks({ system: { database, storage, ai, executor } }: { system: System }) {
  const checks: Check[] = [
    { name: 'Database', ...database },
    { name: 'File storage', ...storage },
    { name: 'AI service', ...ai },
    { ...executor, name: 'Test execution' },
  ]
  return (
    <Table
      label="Checks of the server"
      columns={columns}
      rows={checks}
      rowKey={({ name }) => name}
      tone={({ ok, pending }) => (ok || pending ? undefined : 'bad')}
    />
  )
}

const columns: Column<Check>[] = [
  { id: 'name', title: 'Part', cell: ({ name }) => name, value: ({ name }) => name },
  {
    id: 'state',
    title: 'State',
    cell: ({ ok, pending }) =>
      pending ? (
        <Status of="running" text="Checking" />
      ) : (
        <Status of={ok ? 'passed' : 'failed'} text={ok ? 'Works' : 'Fails'} />
      ),
    value: ({ ok }) => ok,
  },
  {
    id: 'advice',
    title: 'Problem and advice',
    cell: ({ problem, advice }) => (
      <>
        {problem === null ? undefined : <div>{problem}</div>}
        {advice === null ? undefined : <div className="hint">{advice}</div>}
        {problem === null && advice === null ? <span className="quiet">–</span> : undefined}
      </>
    ),
    value: ({ problem, advice }) => [problem, advice].filter(Boolean).join(' '),
  },
]
