import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type Outputs, trpc } from '../../api.ts'
import { Commit } from '../../parts/copy.tsx'
import { Filters } from '../../parts/filters.tsx'
import { CheckField } from '../../parts/form.tsx'
import { flooredPercent } from '../../parts/gate.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { formatCount, plural } from '../../parts/number-text.ts'
import { Empty, Facts, Page, Section } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Prose } from '../../parts/prose.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import '../../styles/form.css'
import '../../styles/judged.css'
import { pageSize, toShadowsQuery } from './query.ts'

type Overview = Outputs['selection']['get']
type Row = Outputs['selection']['list']['runs'][number]

const route = getRouteApi('/projects/$projectId/selection')

const modeTexts: Record<Overview['policy']['mode'], string> = {
  off: 'Off: selections are not computed beside runs',
  shadow: 'Shadow: all tests run, and Assay computes what a selection would have done',
  enforce: 'Enforced: pull requests and other branches run only what is selected',
}

const columns: readonly Column<Row>[] = [
  {
    id: 'run',
    title: 'Run',
    cell: ({ projectId, runId, branch }) => (
      <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId }} className="name-cell">
        <ShortText text={branch ?? 'a commit without a branch'} />
      </Link>
    ),
    value: ({ branch }) => branch,
  },
  {
    id: 'selected',
    title: 'Test files selected',
    align: 'right',
    cell: ({ mode, counts }) =>
      mode === 'all' ? (
        'all'
      ) : (
        <span className="number">
          {formatCount(counts.selected)} of {formatCount(counts.all)}
        </span>
      ),
    value: ({ counts }) => counts.selected,
  },
  {
    id: 'broken',
    title: 'Broken by the change',
    align: 'right',
    cell: ({ failures }) => (failures === null ? <span className="quiet">unknown</span> : formatCount(failures)),
    value: ({ failures }) => failures,
  },
  {
    id: 'missed',
    title: 'Missed',
    cell: ({ missed, failures, caught, whyAll }) =>
      missed.length > 0 ? (
        <ul className="plain-list">
          {missed.map(({ suite, name, file, because }) => (
            <li key={`${file} ${suite} ${name}`}>
              <ShortText text={suite === '' ? name : `${suite} > ${name}`} />:{' '}
              <span className="quiet">
                <Prose text={because} max={200} />
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <span className="quiet">
          {whyAll === null ? (failures !== null && failures > 0 && caught === failures ? 'none' : '–') : whyAll}
        </span>
      ),
    value: ({ missed }) => missed.length,
  },
  {
    id: 'commit',
    title: 'Commit',
    minor: true,
    cell: ({ headSha }) => <Commit sha={headSha} />,
    value: ({ headSha }) => headSha,
  },
  {
    id: 'base',
    title: 'Compared with',
    minor: true,
    cell: ({ baseSha }) => <Commit sha={baseSha} />,
    value: ({ baseSha }) => baseSha,
  },
  {
    id: 'computed',
    title: 'Computed',
    align: 'right',
    cell: ({ createdAt }) => <Time at={createdAt} />,
    value: ({ createdAt }) => createdAt,
  },
]

/** How well the selection of tests by changes works in the project. */
export function SelectionPage() {
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const overview = useQuery(trpc.selection.get.queryOptions({ projectId }))
  const runs = useQuery(
    trpc.selection.list.queryOptions(toShadowsQuery(projectId, search), { placeholderData: keepPreviousData }),
  )
  return (
    <Page
      title="Selection"
      lead={
        <>
          Which tests can notice a change, and what it would save to run only those.{' '}
          <Link to="/projects/$projectId/settings" params={{ projectId }} search={{ tab: 'selection' }}>
            Settings of the selection
          </Link>
        </>
      }
    >
      <Loaded query={overview}>{(found) => <Evidence of={found} />}</Loaded>
      <Section title="Beside runs of all tests">
        <Filters>
          <CheckField
            label="Only runs in which a change broke tests"
            checked={search.red === true}
            onChange={(isChecked) => void navigate({ search: isChecked ? { red: true } : {}, replace: true })}
          />
        </Filters>
        <Loaded query={runs}>
          {({ runs: rows, pagination }) =>
            pagination.total === 0 ? (
              <Empty title={search.red ? 'No run matches' : 'Nothing was computed yet'}>
                {search.red
                  ? 'No change has broken a test since selections are computed.'
                  : 'After each run or upload of all tests of a commit, Assay computes which tests a selection would have run.'}
              </Empty>
            ) : (
              <>
                <Table
                  label="Selections beside runs of all tests"
                  columns={columns}
                  rows={rows}
                  rowKey={({ runId }) => runId}
                  tone={({ missed }) => (missed.length > 0 ? 'bad' : undefined)}
                />
                <Pager
                  total={pagination.total}
                  limit={pageSize}
                  offset={search.offset ?? 0}
                  onMove={(offset) => void navigate({ search: { ...search, offset } })}
                />
              </>
            )
          }
        </Loaded>
      </Section>
    </Page>
  )
}

function Evidence({ of: { policy, evidence, reach } }: { of: Overview }) {
  const { runs, redRuns, caughtRuns, failures, caughtFailures, recall, saving, missing } = evidence
  return (
    <Section title="Recall and saving">
      <div className="page-lines">
        <Facts
          of={[
            ['Mode', modeTexts[policy.mode]],
            [
              'Recall',
              recall === null
                ? 'No change has broken a test yet.'
                : `${flooredPercent(100 * recall)}: in ${formatCount(caughtRuns)} of ${plural(redRuns, 'run')} that a change broke, the selection had every broken test`,
            ],
            failures > 0 && [
              'Broken tests',
              `${formatCount(caughtFailures)} of ${formatCount(failures)} were selected`,
            ],
            [
              'Saving',
              saving === null ? 'No test times are known yet.' : `${flooredPercent(100 * saving)} of the test time`,
            ],
            ['Computed for', plural(runs, 'run')],
            [
              'What tests run',
              reach === null ? (
                'Not measured. A measurement of strength of all code of the branch leaves out tests that import a change but do not run it.'
              ) : (
                <>
                  measured for {plural(reach.testFiles, 'test file')} at <Commit sha={reach.commitSha} />,{' '}
                  <Time at={reach.measuredAt} />
                </>
              ),
            ],
          ]}
        />
        {missing === null ? undefined : <p className="note-line tone-warn">{missing}</p>}
      </div>
    </Section>
  )
}
