import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type Outputs, trpc } from '../../api.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { isAtLeast, useRole } from '../../parts/roles.ts'
import { Tabs } from '../../parts/tabs.tsx'
import { CodeHostTab } from './code-host.tsx'
import { DangerTab } from './danger.tsx'
import { EnvironmentTab } from './environment.tsx'
import { GateTab } from './gate.tsx'
import { GeneralTab } from './general.tsx'
import { HealthTab } from './health.tsx'
import { RunsTab } from './runs.tsx'
import { SelectionTab } from './selection.tsx'
import { type SettingsTab, settingsTabs, tabTexts } from './tabs.ts'
import { TestsTab } from './tests.tsx'
import type { TabProps } from './use-draft.ts'
import '../../styles/form.css'
import '../../styles/plan.css'

const route = getRouteApi('/projects/$projectId/settings')

/** How the project is tested, when, and what reaches the tests. */
export function ProjectSettingsPage() {
  const { projectId } = route.useParams()
  const { tab = 'general' } = route.useSearch()
  const project = useQuery(trpc.projects.getProject.queryOptions({ projectId }))
  const settings = useQuery(trpc.projects.getProjectSettings.queryOptions({ projectId }))
  return (
    <Page title="Project settings">
      <Tabs label="Settings">
        {settingsTabs.map((each) => (
          <Link
            key={each}
            to="/projects/$projectId/settings"
            params={{ projectId }}
            search={each === 'general' ? {} : { tab: each }}
            className={each === tab ? 'tab active' : 'tab'}
            activeProps={{}}
            aria-current={each === tab ? 'page' : undefined}
          >
            {tabTexts[each]}
          </Link>
        ))}
      </Tabs>
      <Loaded query={project}>
        {(foundProject) => (
          <Loaded query={settings}>{(found) => <Tab tab={tab} project={foundProject} settings={found} />}</Loaded>
        )}
      </Loaded>
    </Page>
  )
}

interface Props {
  tab: SettingsTab
  project: Outputs['projects']['getProject']
  settings: Outputs['projects']['getProjectSettings']
}

const forMembers: readonly SettingsTab[] = ['general', 'health', 'gate', 'selection']

function Tab({ tab, project, settings }: Props) {
  const role = useRole(project.organizationId)
  const isAdmin = isAtLeast(role, 'admin')
  const props: TabProps = { project, settings, isAdmin, isMember: isAtLeast(role, 'member') }
  const needed = forMembers.includes(tab) ? 'member' : 'admin'
  return (
    <>
      {role !== undefined && !isAtLeast(role, needed) ? (
        <p className="note-line tone-warn">
          Your role is {role}. Changing this requires the role {needed}; ask an admin of the organization.
        </p>
      ) : undefined}
      {contentOf(tab, props)}
    </>
  )
}

function contentOf(tab: SettingsTab, props: TabProps) {
  if (tab === 'general') return <GeneralTab {...props} />
  if (tab === 'tests') return <TestsTab {...props} />
  if (tab === 'health') return <HealthTab {...props} />
  if (tab === 'runs') return <RunsTab {...props} />
  if (tab === 'gate') return <GateTab {...props} />
  if (tab === 'selection') return <SelectionTab {...props} />
  if (tab === 'environment') return <EnvironmentTab {...props} />
  if (tab === 'code-host') return <CodeHostTab {...props} />
  return <DangerTab {...props} />
}
