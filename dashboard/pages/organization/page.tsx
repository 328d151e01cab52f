import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { MembersTab } from './members.tsx'
import { PlanTab } from './plan.tsx'
import { ProjectsTab } from './projects.tsx'
import { SettingsTab } from './settings.tsx'
import { type Organization, type OrganizationTab, organizationTabs, tabTexts } from './tabs.ts'
import { WebhooksTab } from './webhooks.tsx'
import '../../styles/form.css'

const route = getRouteApi('/organizations/$slug')

/** Who shares which projects, and who may do what. */
export function OrganizationPage() {
  const { slug } = route.useParams()
  const { tab = 'projects' } = route.useSearch()
  const organization = useQuery(trpc.organizations.getBySlug.queryOptions({ slug }))
  const found = organization.data
  return (
    <Page
      title={found ? <ShortText text={found.name} /> : 'Organization'}
      documentTitle={found?.name ?? 'Organization'}
      lead={found ? <Lead organization={found} /> : undefined}
    >
      <Loaded query={organization}>
        {(loaded) => (
          <>
            <Tabs label="Organization">
              {organizationTabs.map((each) => (
                <Link
                  key={each}
                  to="/organizations/$slug"
                  params={{ slug }}
                  search={each === 'projects' ? {} : { tab: each }}
                  className={each === tab ? 'tab active' : 'tab'}
                  activeProps={{}}
                  aria-current={each === tab ? 'page' : undefined}
                >
                  {tabTexts[each]}
                </Link>
              ))}
            </Tabs>
            {contentOf(tab, loaded)}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Lead({ organization: { description, role } }: { organization: Organization }) {
  return (
    <>
      {description ? (
        <>
          <ShortText text={description} /> ·{' '}
        </>
      ) : undefined}
      Your role: {role}
    </>
  )
}

function contentOf(tab: OrganizationTab, organization: Organization) {
  if (tab === 'members') return <MembersTab organization={organization} />
  if (tab === 'webhooks') return <WebhooksTab organization={organization} />
  if (tab === 'plan') return <PlanTab organization={organization} />
  if (tab === 'settings') return <SettingsTab key={organization.id} organization={organization} />
  return <ProjectsTab organization={organization} />
}
