import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { Funnel } from '../../parts/funnel.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import '../../styles/activity.css'
import '../../styles/suggestions.css'
import { AnalyzeButton } from './analyze-button.tsx'
import { Candidates } from './candidates.tsx'
import { GeneratedTests } from './generated-tests.tsx'
import { Suggestions } from './suggestions.tsx'

const route = getRouteApi('/projects/$projectId/suggestions')

/** What is worth a test, what agents suggested and generated for it, and what was proved. */
export function SuggestionsPage() {
  const { projectId } = route.useParams()
  const { tab } = route.useSearch()
  return (
    <Page
      title="What to test"
      lead="The code that is most worth a test, and what was suggested, generated and proved for it."
      actions={<AnalyzeButton projectId={projectId} />}
    >
      <Tabs label="What to test">
        <TabLink projectId={projectId} text="Ranked code" active={tab === undefined} tab={undefined} />
        <TabLink projectId={projectId} text="Suggestions" active={tab === 'suggestions'} tab="suggestions" />
        <TabLink projectId={projectId} text="Generated tests" active={tab === 'generated'} tab="generated" />
      </Tabs>
      {tab === undefined ? <Candidates /> : undefined}
      {tab === 'suggestions' ? <Suggestions /> : undefined}
      {tab === 'generated' ? (
        <>
          <Proof projectId={projectId} />
          <Section title="Generated tests">
            <GeneratedTests />
          </Section>
        </>
      ) : undefined}
    </Page>
  )
}

interface TabProps {
  projectId: string
  text: string
  active: boolean
  tab: 'suggestions' | 'generated' | undefined
}

function TabLink({ projectId, text, active, tab }: TabProps) {
  return (
    <Link
      className={active ? 'tab active' : 'tab'}
      activeProps={{}}
      aria-current={active ? 'page' : undefined}
      to="/projects/$projectId/suggestions"
      params={{ projectId }}
      search={{ tab }}
    >
      {text}
    </Link>
  )
}

function Proof({ projectId }: { projectId: string }) {
  const funnel = useQuery(trpc.projects.funnel.queryOptions({ projectId, days: 90 }))
  return (
    <Section title="What became of proposed tests in 90 days" id="funnel">
      <Loaded query={funnel}>{(data) => <Funnel funnel={data} />}</Loaded>
    </Section>
  )
}
