import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { ActivityList } from '../../parts/activity-list.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/page.tsx'

/** The latest entries of the project's activity. */
export function LatestSteps({ projectId }: { projectId: string }) {
  const activity = useQuery(trpc.projects.activity.queryOptions({ projectId, limit: 8 }))
  return (
    <Section
      title="Latest activity"
      actions={
        <Link to="/projects/$projectId/activity" params={{ projectId }}>
          All activity
        </Link>
      }
    >
      <Loaded query={activity}>{({ entries }) => <ActivityList projectId={projectId} entries={entries} />}</Loaded>
    </Section>
  )
}
