import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type Outputs, trpc } from '../../api.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { formatCount, plural } from '../../parts/number-text.ts'
import { Count } from '../../parts/numbers.tsx'
import { Page } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { healths } from '../../parts/test-names.ts'
import '../../styles/form.css'
import '../../styles/judged.css'
import '../../styles/tests.css'
import { CodeownersProblems } from './codeowners-problems.tsx'
import { tabs, testsInput, type TestsSearch } from './input.ts'
import { SpeedParts } from './speed.tsx'
import { QuarantineTab } from './quarantine-tab.tsx'
import { NoTests, TestFilters, TestList } from './test-list.tsx'

type List = Outputs['tests']['list']

const route = getRouteApi('/projects/$projectId/tests')

/** Which tests fail without a change of the code, which are broken, and which cost most. */
export function TestsPage() {
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const query = useQuery(
    trpc.tests.list.queryOptions(testsInput(projectId, search), {
      placeholderData: keepPreviousData,
      refetchInterval: 60_000,
    }),
  )
  return (
    <Page
      title="Tests"
      lead={query.data ? leadOf(query.data) : <>&nbsp;</>}
      actions={
        <Link
          className="button plain"
          to="/projects/$projectId/settings"
          params={{ projectId }}
          search={{ tab: 'health' }}
        >
          Rules
        </Link>
      }
    >
      <Loaded query={query}>
        {(list) =>
          countOf(list) === 0 ? (
            <NoTests projectId={projectId} outages={list.outages} />
          ) : (
            <Content projectId={projectId} list={list} />
          )
        }
      </Loaded>
    </Page>
  )
}

const countOf = ({ counts }: List) => Object.values(counts).reduce((sum, count) => sum + count, 0)

/** What needs the user, in a sentence. */
function leadOf(list: List): string {
  const { counts, requested } = list
  const total = countOf(list)
  if (total === 0) return 'Which tests are flaky, broken or slow.'
  const parts = [
    counts.broken > 0 ? `${formatCount(counts.broken)} broken` : '',
    counts.flaky > 0 ? `${formatCount(counts.flaky)} flaky` : '',
  ].filter((part) => part !== '')
  const trouble = parts.length === 0 ? 'none is flaky or broken' : parts.join(', ')
  const waits =
    requested === 0 ? '' : ` ${plural(requested, 'request')} for quarantine ${requested === 1 ? 'waits' : 'wait'}.`
  return `${plural(total, 'test')}: ${trouble}.${waits}`
}

function Content({ projectId, list }: { projectId: string; list: List }) {
  const { tab } = route.useSearch()
  return (
    <>
      <Counts projectId={projectId} list={list} />
      <Tabs label="Tests">
        {([undefined, ...tabs] as const).map((each) => (
          <Link
            key={each ?? 'all'}
            className={each === tab ? 'tab active' : 'tab'}
            activeProps={{}}
            aria-current={each === tab ? 'page' : undefined}
            to="/projects/$projectId/tests"
            params={{ projectId }}
            search={{ tab: each }}
          >
            {titleOf(each, list)}
          </Link>
        ))}
      </Tabs>
      {tab === 'quarantine' ? (
        <QuarantineTab projectId={projectId} />
      ) : (
        <>
          {tab === 'slowest' ? <SpeedParts projectId={projectId} /> : undefined}
          <TestFilters tests={list.tests} />
          <TestList projectId={projectId} list={list} />
          <CodeownersProblems of={list.codeowners} />
        </>
      )}
    </>
  )
}

function titleOf(tab: TestsSearch['tab'], { counts, quarantined, requested }: List): string {
  if (tab === undefined) return 'All tests'
  const titles = {
    trouble: `Flaky and broken (${formatCount(counts.flaky + counts.broken)})`,
    quarantine: `Quarantine (${formatCount(quarantined + requested)})`,
    slowest: 'Speed',
  }
  return titles[tab]
}

/** How many tests have each health. Each count leads to its tests. */
function Counts({ projectId, list }: { projectId: string; list: List }) {
  const { health, tab } = route.useSearch()
  return (
    <nav className="health-counts card" aria-label="Tests by health">
      {healths.map((each) => {
        const isShown = health === each && tab === undefined
        return (
          <Link
            key={each}
            to="/projects/$projectId/tests"
            params={{ projectId }}
            search={isShown ? {} : { health: each }}
            className={isShown ? 'health-count active' : 'health-count'}
            activeProps={{}}
            aria-current={isShown ? 'true' : undefined}
          >
            <Count of={list.counts[each]} />
            <Status of={each} />
          </Link>
        )
      })}
      <Link
        to="/projects/$projectId/tests"
        params={{ projectId }}
        search={{ tab: 'quarantine' }}
        className={tab === 'quarantine' ? 'health-count active' : 'health-count'}
        activeProps={{}}
        aria-current={tab === 'quarantine' ? 'true' : undefined}
      >
        <Count of={list.quarantined} />
        <Status of="muted" text="In quarantine" />
      </Link>
    </nav>
  )
}
