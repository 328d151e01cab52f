import { skipToken, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { GatePolicyChange } from '../../../core/gate-policy/schema.ts'
import { type Outputs, trpc } from '../../api.ts'
import { gateName, GateStatus, stateTexts } from '../../parts/gate.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { formatCount, plural } from '../../parts/number-text.ts'
import { Prose } from '../../parts/prose.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { PreviewSection } from './preview-section.tsx'

type Preview = Outputs['gate']['previewPolicy']
type Difference = Preview['changed'][number]
type State = Difference['from']

/** Judging one takes the results of its runs. */
const examined = 20

interface PreviewProps {
  projectId: string
  /** The parts of the policy that the user has changed. */
  change: GatePolicyChange
}

/** What the policy of the form would have decided about the latest gates. Nothing is saved. */
export function GatePreview({ projectId, change }: PreviewProps) {
  const [shown, setShown] = useState<string>()
  const input =
    shown === undefined ? skipToken : { projectId, policy: JSON.parse(shown) as GatePolicyChange, limit: examined }
  const preview = useQuery(trpc.gate.previewPolicy.queryOptions(input, { retry: false, staleTime: 60_000 }))
  return (
    <PreviewSection
      wanted={JSON.stringify(change)}
      shown={shown}
      onShow={setShown}
      preview={preview}
      texts={{
        idle: 'Change a rule, then see here what the latest gates would have been.',
        ready: 'Shows what the latest gates would have been with the changed rules. Nothing is saved.',
        busy: 'Judging the latest gates',
      }}
    >
      {(found) => <Result projectId={projectId} preview={found} />}
    </PreviewSection>
  )
}

const states = ['success', 'failure', 'error', 'pending', 'neutral'] as const satisfies readonly State[]

function Result({ projectId, preview }: { projectId: string; preview: Preview }) {
  const { before, after, changed } = preview
  if (preview.examined === 0) return <p>The project has no gate yet.</p>
  const rows = states.map((state) => ({ state, before: before[state], after: after[state] }))
  return (
    <>
      <p>
        Of the latest {plural(preview.examined, 'gate')},{' '}
        <strong>
          {changed.length === 0 ? 'none would be different' : `${formatCount(changed.length)} would be different`}
        </strong>
        . The table counts what the code host shows.
      </p>
      <Table label="Gates by conclusion" columns={countColumns} rows={rows} rowKey={({ state }) => state} />
      {changed.length > 0 ? (
        <Table
          label="Gates that would be different"
          columns={changedColumns(projectId)}
          rows={changed}
          rowKey={({ gateId }) => gateId}
        />
      ) : undefined}
    </>
  )
}

interface CountRow {
  state: State
  before: number
  after: number
}

const countColumns: readonly Column<CountRow>[] = [
  {
    id: 'state',
    title: 'Conclusion',
    cell: ({ state }) => <GateStatus of={state} />,
    value: ({ state }) => stateTexts[state],
  },
  {
    id: 'before',
    title: 'Now',
    align: 'right',
    cell: ({ before }) => formatCount(before),
    value: ({ before }) => before,
  },
  { id: 'after', title: 'Then', align: 'right', cell: ({ after }) => formatCount(after), value: ({ after }) => after },
]

const changedColumns = (projectId: string): readonly Column<Difference>[] => [
  {
    id: 'change',
    title: 'Change',
    cell: (row) => (
      <Link
        to="/projects/$projectId/gates/$gateId"
        params={{ projectId, gateId: row.gateId }}
        preload={false}
        className="name-cell"
      >
        <ShortText text={gateName(row)} />
      </Link>
    ),
    value: gateName,
  },
  { id: 'from', title: 'Now', cell: ({ from }) => <GateStatus of={from} />, value: ({ from }) => from },
  { id: 'to', title: 'Then', cell: ({ to }) => <GateStatus of={to} />, value: ({ to }) => to },
  {
    id: 'reason',
    title: 'Reason',
    cell: ({ reason }) => <Prose text={reason} max={200} />,
    value: ({ reason }) => reason,
  },
]
