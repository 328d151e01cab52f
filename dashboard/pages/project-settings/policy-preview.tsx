import { skipToken, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { HealthRulesChange } from '../../../core/test-policy/schema.ts'
import { type Outputs, trpc } from '../../api.ts'
import { VariantTag } from '../../parts/health.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { formatCount, plural } from '../../parts/number-text.ts'
import { Prose } from '../../parts/prose.tsx'
import { lookOf, Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { healths, variantParam } from '../../parts/test-names.ts'
import { PreviewSection } from './preview-section.tsx'

type Preview = Outputs['tests']['previewPolicy']
type Difference = Preview['differences'][number]

interface PreviewProps {
  projectId: string
  /** The rules that the user has changed. */
  health: HealthRulesChange
}

/** What the rules of the form would have said of the last 30 days. Nothing is saved. */
export function PolicyPreview({ projectId, health }: PreviewProps) {
  const wanted = JSON.stringify(health)
  const [shown, setShown] = useState<string>()
  const input = shown === undefined ? skipToken : { projectId, health: JSON.parse(shown) as HealthRulesChange }
  const preview = useQuery(trpc.tests.previewPolicy.queryOptions(input, { retry: false, staleTime: 60_000 }))
  return (
    <PreviewSection
      wanted={wanted}
      shown={shown}
      onShow={setShown}
      preview={preview}
      texts={{
        idle: 'Change a rule, then see here what it would have said of the last 30 days.',
        ready: 'Shows what the changed rules would have said of the last 30 days. Nothing is saved.',
        busy: 'Judging the results of the last 30 days',
      }}
    >
      {(found) => <Result projectId={projectId} preview={found} />}
    </PreviewSection>
  )
}

function Result({ projectId, preview }: { projectId: string; preview: Preview }) {
  const { days, runs, examined, current, previewed, currentChanges, previewedChanges, differences, leftOut } = preview
  const rows = healths.map((health) => ({ health, current: current[health], previewed: previewed[health] }))
  return (
    <>
      <p>
        Of the {plural(examined, 'test')} that failed or were retried in {plural(runs, 'run')} of {days} days,{' '}
        <strong>
          {differences.length === 0
            ? 'none would be judged differently'
            : `${plural(differences.length + leftOut, 'test')} would be judged differently`}
        </strong>
        . Assay would have announced {plural(previewedChanges, 'change')} instead of {formatCount(currentChanges)}.
      </p>
      <Table label="Tests by health" columns={countColumns} rows={rows} rowKey={({ health }) => health} />
      {differences.length > 0 ? (
        <Table
          label="Tests that would be judged differently"
          columns={differenceColumns(projectId)}
          rows={differences}
          rowKey={({ testId, variant }) => `${testId} ${variant}`}
        />
      ) : undefined}
      {leftOut > 0 ? <p className="quiet">and {plural(leftOut, 'more test')}.</p> : undefined}
    </>
  )
}

interface CountRow {
  health: Difference['current']
  current: number
  previewed: number
}

const countColumns: readonly Column<CountRow>[] = [
  {
    id: 'health',
    title: 'Health',
    cell: ({ health }) => <Status of={health} />,
    value: ({ health }) => lookOf(health).text,
  },
  {
    id: 'current',
    title: 'Now',
    align: 'right',
    cell: ({ current }) => formatCount(current),
    value: ({ current }) => current,
  },
  {
    id: 'previewed',
    title: 'Then',
    align: 'right',
    cell: ({ previewed }) => formatCount(previewed),
    value: ({ previewed }) => previewed,
  },
  {
    id: 'change',
    title: 'Change',
    align: 'right',
    cell: ({ current, previewed }) =>
      previewed === current ? (
        <span className="quiet">–</span>
      ) : (
        `${previewed > current ? '+' : '−'}${formatCount(Math.abs(previewed - current))}`
      ),
    value: ({ current, previewed }) => previewed - current,
  },
]

const differenceColumns = (projectId: string): Column<Difference>[] => [
  {
    id: 'test',
    title: 'Test',
    cell: ({ testId, variant, name }) => (
      <>
        <Link
          to="/projects/$projectId/tests/$testId"
          params={{ projectId, testId }}
          search={variant === '' ? {} : { variant: variantParam(variant) }}
          preload={false}
        >
          <ShortText text={name} limit={160} />
        </Link>{' '}
        <VariantTag of={variant} />
      </>
    ),
    value: ({ suite, name, variant }) => [suite, name, variant].filter((part) => part !== '').join(' > '),
  },
  { id: 'current', title: 'Now', cell: ({ current }) => <Status of={current} />, value: ({ current }) => current },
  {
    id: 'previewed',
    title: 'Then',
    cell: ({ previewed }) => <Status of={previewed} />,
    value: ({ previewed }) => previewed,
  },
  {
    id: 'reason',
    title: 'Reason',
    cell: ({ reason }) => <Prose text={reason} max={200} />,
    value: ({ reason }) => reason,
  },
]
