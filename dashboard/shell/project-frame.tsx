import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useParams, useRouter } from '@tanstack/react-router'
import { statusOf, trpc } from '../api.ts'
import { Problem } from '../parts/loaded.tsx'
import { Page } from '../parts/page.tsx'
import { useActiveInView } from '../parts/scroll-bar.ts'
import { useKeys } from './keys.ts'

/** The pages of a project in the order of the navigation, with the key that opens each after `g`. */
const pages = [
  { to: '/projects/$projectId', text: 'Overview', key: 'p' },
  { to: '/projects/$projectId/runs', text: 'Runs', key: 'r' },
  { to: '/projects/$projectId/tests', text: 'Tests', key: 'f' },
  { to: '/projects/$projectId/suggestions', text: 'What to test', key: 't' },
  { to: '/projects/$projectId/coverage', text: 'Coverage', key: 'c' },
  { to: '/projects/$projectId/strength', text: 'Strength', key: 'w' },
  { to: '/projects/$projectId/verifications', text: 'Verifications', key: 'v' },
  { to: '/projects/$projectId/changes', text: 'Changes', key: 'd' },
  { to: '/projects/$projectId/gates', text: 'Gates', key: 'g' },
  { to: '/projects/$projectId/selection', text: 'Selection', key: 'l' },
  { to: '/projects/$projectId/activity', text: 'Activity', key: 'a' },
  { to: '/projects/$projectId/webhooks', text: 'Webhooks', key: 'b' },
  { to: '/projects/$projectId/settings', text: 'Settings', key: 'e' },
] as const

/** The navigation of a project around its pages. */
export function ProjectFrame() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  const router = useRouter()
  const bar = useActiveInView<HTMLUListElement>()
  const project = useQuery(trpc.projects.getProject.queryOptions({ projectId }, { staleTime: 30_000 }))
  useKeys(
    Object.fromEntries(
      pages.map(({ to, key }) => [`g ${key}`, () => void router.navigate({ to, params: { projectId } })]),
    ),
  )
  if (project.data === undefined && statusOf(project.error) === 404) {
    return (
      <Page title="Page not found">
        <Problem error={project.error} />
      </Page>
    )
  }
  return (
    <div className="project">
      <nav className="project-nav" aria-label="Project">
        <p className="project-name">{project.data?.name ?? ' '}</p>
        <ul ref={bar} className="scroll-bar">
          {pages.map(({ to, text, key }) => (
            <li key={to}>
              <Link
                to={to}
                params={{ projectId }}
                activeOptions={{ exact: text === 'Overview', includeSearch: false }}
                aria-keyshortcuts={`g ${key}`}
              >
                {text}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="project-page">
        <Outlet />
      </div>
    </div>
  )
}
