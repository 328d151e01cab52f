import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { isAtLeast, useRole } from '../../parts/roles.ts'
import { useOwnProject } from '../../parts/use-own-project.ts'
import { Controls } from './controls.tsx'
import { WebhookDetail } from './detail.tsx'

const route = getRouteApi('/projects/$projectId/webhooks/$webhookId')

/** Did it arrive? A webhook, its deliveries and their attempts. */
export function WebhookPage() {
  const { projectId, webhookId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(trpc.webhooks.get.queryOptions({ webhookId }, { refetchInterval: 10_000 }))
  const webhook = query.data?.webhook
  useOwnProject(webhook?.projectId ?? undefined)
  const isAdmin = isAtLeast(useRole(webhook?.organizationId), 'admin')
  return (
    <Page
      title={webhook?.url ?? 'Webhook'}
      documentTitle="Webhook"
      lead={webhook?.description}
      actions={
        webhook && isAdmin ? (
          <Controls
            webhook={webhook}
            onDeleted={() => void navigate({ to: '/projects/$projectId/webhooks', params: { projectId } })}
          />
        ) : undefined
      }
    >
      <Loaded query={query}>
        {({ webhook: found }) => (
          <WebhookDetail
            webhook={found}
            isAdmin={isAdmin}
            search={search}
            onSearch={(change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true })}
          />
        )}
      </Loaded>
    </Page>
  )
}
