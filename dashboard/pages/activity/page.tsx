import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { client, trpc } from '../../api.ts'
import { ActivityList, kindNames } from '../../parts/activity-list.tsx'
import { ConnectAgent } from '../../parts/connect-agent.tsx'
import { Filters, SelectField } from '../../parts/filters.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty, Page, Section } from '../../parts/page.tsx'
import { activityInput, kinds } from './input.ts'
import { Funnel } from '../../parts/funnel.tsx'

const route = getRouteApi('/projects/$projectId/activity')

/** What agents proposed, proved, dismissed and kept, and everything else that happened in the project. */
export function ActivityPage() {
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const funnel = useQuery(trpc.projects.funnel.queryOptions({ projectId, days: Number(search.days ?? 90) }))
  const input = activityInput(projectId, search)
  const activity = useInfiniteQuery({
    queryKey: [...trpc.projects.activity.queryKey(input), 'pages'],
    queryFn: ({ pageParam, signal }) =>
      client.projects.activity.query({ ...input, ...(pageParam ? { before: pageParam } : {}) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: 15_000,
  })
  const entries = activity.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <Page title="Activity" lead="What agents, people, CI and the code host did in this project.">
      <Section
        title="What became of the tests that were proposed"
        id="funnel"
        actions={
          <Filters label="Period of the tests">
            <SelectField
              label="Period"
              value={search.days}
              any="90 days"
              options={[
                ['30', '30 days'],
                ['365', '365 days'],
              ]}
              onChange={(days) =>
                void navigate({ search: { ...search, days: days as '30' | '365' | undefined }, replace: true })
              }
            />
          </Filters>
        }
      >
        <Loaded query={funnel}>{(data) => <Funnel funnel={data} />}</Loaded>
      </Section>
      <Section
        title="Timeline"
        actions={
          <Filters label="Filters of the timeline">
            <SelectField
              label="Kind"
              value={search.kind}
              any="Everything"
              options={kinds.map((kind) => [kind, kindNames[kind]] as const)}
              onChange={(kind) =>
                void navigate({ search: { ...search, kind: kinds.find((each) => each === kind) }, replace: true })
              }
            />
          </Filters>
        }
      >
        <Loaded query={activity}>
          {() =>
            entries.length === 0 ? (
              <Empty title="Nothing has happened yet">
                <p>Connect a coding agent. What it proposes and proves is shown here.</p>
                <ConnectAgent projectId={projectId} />
              </Empty>
            ) : (
              <>
                <ActivityList projectId={projectId} entries={entries} />
                {activity.hasNextPage ? (
                  <button
                    type="button"
                    className="plain more"
                    disabled={activity.isFetchingNextPage}
                    onClick={() => void activity.fetchNextPage()}
                  >
                    Show older entries
                  </button>
                ) : undefined}
              </>
            )
          }
        </Loaded>
      </Section>
    </Page>
  )
}
