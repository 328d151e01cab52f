import { ruleTexts } from '../../parts/gate.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { Prose } from '../../parts/prose.tsx'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { type StartedProof, useStartedProof } from './actions.tsx'
import { Remedy } from './remedy.tsx'
import type { Gate, Reason } from './types.ts'

const outcomeTexts: Record<Reason['outcome'], string> = {
  passed: 'Holds',
  failed: 'Fails',
  waiting: 'Waits',
  error: 'Error',
  nothing: 'Nothing to judge',
}

const ruleOf = ({ rule, component }: Reason) =>
  component === null ? ruleTexts[rule] : `${ruleTexts[rule]} ${component}`

const columnsOf = (gate: Gate, proof: StartedProof): readonly Column<Reason>[] => [
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
    cell: (reason) => (
      <div className="remedy">
        {reason.fix === null ? undefined : (
          <p>
            <Prose text={reason.fix} max={600} />
          </p>
        )}
        <Remedy gate={gate} of={reason} proof={proof} />
      </div>
    ),
    value: ({ fix }) => fix,
  },
]

/** What each rule says and what leads to its remedy: those that fail first, then those that wait. */
export function Reasons({ gate }: { gate: Gate }) {
  const proof = useStartedProof(gate)
  const { reasons } = gate
  if (reasons.length === 0) return <p className="quiet">The gate has not judged the change yet.</p>
  const rows = reasons.map((reason, index) => ({ ...reason, index }))
  return (
    <Table
      label="Reasons"
      columns={columnsOf(gate, proof)}
      rows={rows}
      rowKey={({ index }) => String(index)}
      tone={({ outcome }) =>
        outcome === 'failed' || outcome === 'error' ? 'bad' : outcome === 'waiting' ? 'warn' : undefined
      }
    />
  )
}
