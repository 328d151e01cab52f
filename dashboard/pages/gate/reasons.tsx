import { ruleTexts } from '../../parts/gate.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { Prose } from '../../parts/prose.tsx'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import type { Reason } from './types.ts'

const outcomeTexts: Record<Reason['outcome'], string> = {
  passed: 'Holds',
  failed: 'Fails',
  waiting: 'Waits',
  error: 'Error',
  nothing: 'Nothing to judge',
}

const ruleOf = ({ rule, component }: Reason) =>
  component === null ? ruleTexts[rule] : `${ruleTexts[rule]} ${component}`

const columns: readonly Column<Reason>[] = [
  {
    id: 'outcome',
    title: 'Result',
    cell: ({ outcome }) => <Status of={outcome === 'nothing' ? 'skipped' : outcome} text={outcomeTexts[outcome]} />,
    value: ({ outcome }) => outcome,
  },
  { id: 'rule', title: 'Rule', cell: (reason) => <ShortText text={ruleOf(reason)} />, value: ruleOf },
  {
    id: 'text',
    title: 'Reason',
    cell: ({ text }) => <Prose text={text} max={600} />,
    value: ({ text }) => text,
  },
  {
    id: 'fix',
    title: 'What would satisfy it',
    cell: ({ fix }) => (fix === null ? <span className="quiet">–</span> : <Prose text={fix} max={600} />),
    value: ({ fix }) => fix,
  },
]

/** What each rule says: those that fail first, then those that wait. */
export function Reasons({ of }: { of: readonly Reason[] }) {
  if (of.length === 0) return <p className="quiet">The gate has not judged the change yet.</p>
  const rows = of.map((reason, index) => ({ ...reason, index }))
  return (
    <Table
      label="Reasons"
      columns={columns}
      rows={rows}
      rowKey={({ index }) => String(index)}
      tone={({ outcome }) =>
        outcome === 'failed' || outcome === 'error' ? 'bad' : outcome === 'waiting' ? 'warn' : undefined
      }
    />
  )
}
