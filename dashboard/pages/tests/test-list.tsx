import { getRouteApi, Link } from '@tanstack/react-router'
import type { Outputs } from '../../api.ts'
import { client } from '../../api.ts'
import { Snippet } from '../../parts/copy.tsx'
import { plural } from '../../parts/number-text.ts'
import { Filters, SearchField, SelectField } from '../../parts/filters.tsx'
import { optionsOf } from '../../parts/judged.tsx'
import { Empty } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Table } from '../../parts/table.tsx'
import { healths, type Test } from '../../parts/test-names.ts'
import { columnsOf, speedColumnsOf } from './columns.tsx'
import { isFiltered, pageSize, quarantines, sorts, testsInput, type TestsSearch } from './input.ts'

const route = getRouteApi('/projects/$projectId/tests')

const quarantineTexts = { active: 'In quarantine', requested: 'Requested', none: 'Not in quarantine' }
const sortTexts = {
  rate: 'Highest failure rate first',
  recent: 'Latest change first',
  slowest: 'Slowest first',
  name: 'By name',
}

export function TestFilters({ tests }: { tests: readonly Test[] }) {
  const { tab, health, quarantine, owner, search, sort } = route.useSearch()
  const navigate = route.useNavigate()
  const filter = (change: TestsSearch) =>
    void navigate({ search: (old) => ({ ...old, offset: undefined, ...change }), replace: true })
  const owners = [...new Set(tests.flatMap((test) => test.owners))].toSorted()
  const choices = tab === 'trouble' ? healths.slice(0, 2) : healths
  return (
    <Filters>
      <SearchField label="Name, suite or file" value={search} onChange={(search) => filter({ search })} />
      <SelectField
        label="Health"
        value={health}
        options={optionsOf(choices)}
        onChange={(value) => filter({ health: choices.find((each) => each === value) })}
      />
      <SelectField
        label="Quarantine"
        value={quarantine}
        options={quarantines.map((each) => [each, quarantineTexts[each]] as const)}
        onChange={(value) => filter({ quarantine: quarantines.find((each) => each === value) })}
      />
      <SearchField label="Owner" value={owner} suggestions={owners} onChange={(owner) => filter({ owner })} />
      {tab === 'slowest' ? undefined : (
        <SelectField
          label="Order"
          any="Most impact first"
          value={sort}
          options={sorts.map((each) => [each, sortTexts[each]] as const)}
          onChange={(value) => filter({ sort: sorts.find((each) => each === value) })}
        />
      )}
    </Filters>
  )
}

interface ListProps {
  projectId: string
  list: Outputs['tests']['list']
}

export function TestList({ projectId, list: { tests, pagination } }: ListProps) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  if (tests.length === 0) return <NoMatch projectId={projectId} search={search} />
  return (
    <>
      <Table
        label="Tests"
        columns={search.tab === 'slowest' ? speedColumnsOf(projectId, tests) : columnsOf(projectId, tests)}
        rows={tests}
        rowKey={({ testId, variant }) => `${testId} ${variant}`}
        tone={({ health }) => (health === 'broken' ? 'bad' : health === 'flaky' ? 'warn' : undefined)}
        exportAll={() => loadAll(projectId, search)}
      />
      <Pager
        total={pagination.total}
        limit={pageSize}
        offset={pagination.offset}
        onMove={(offset) => void navigate({ search: (old) => ({ ...old, offset: offset || undefined }) })}
      />
    </>
  )
}

const maxExported = 20_000
const exportPage = 100

async function loadAll(projectId: string, search: TestsSearch): Promise<readonly Test[]> {
  const loaded: Test[] = []
  while (loaded.length < maxExported) {
    const input = { ...testsInput(projectId, search), limit: exportPage, offset: loaded.length }
    const { tests } = await client.tests.list.query(input)
    loaded.push(...tests)
    if (tests.length < exportPage) break
  }
  return loaded
}

function NoMatch({ projectId, search }: { projectId: string; search: TestsSearch }) {
  if (search.tab === 'trouble' && !isFiltered(search)) {
    return (
      <Empty title="No test is flaky or broken">
        <p>A test that fails and passes without a change of the code, or that fails in every run, appears here.</p>
      </Empty>
    )
  }
  return (
    <Empty title="No test matches">
      <p>
        <Link to="/projects/$projectId/tests" params={{ projectId }} search={{ tab: search.tab }}>
          Clear the filters
        </Link>{' '}
        to see all tests.
      </p>
    </Empty>
  )
}

/** What a project without judged tests shows. */
export function NoTests({ projectId, outages }: { projectId: string; outages: number }) {
  return (
    <Empty title="No tests yet">
      <p>
        Assay tells flaky tests from broken ones by their results over time. It counts runs and uploads of commits. Runs
        of working trees do not count, nor do outages, in which many tests fail at once.
      </p>
      {outages > 0 && (
        <p>
          {plural(outages, 'run')} of the last 30 days did not count: so many tests failed that it looks like an outage.
          If they always fail, they count from the fifth run on.
        </p>
      )}
      <p>
        The page{' '}
        <Link to="/projects/$projectId/runs" params={{ projectId }}>
          Runs
        </Link>{' '}
        starts a run of a branch, and has the step that uploads results from your CI. From any machine with the test
        reports:
      </p>
      <Snippet label="Command that uploads results" text={`assay upload junit.xml --project ${projectId}`} />
    </Empty>
  )
}
