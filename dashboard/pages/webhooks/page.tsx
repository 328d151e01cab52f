import { getRouteApi, Link } from '@tanstack/react-router'
import { Page } from '../../parts/page.tsx'
import { isAtLeast, useProjectRole } from '../../parts/roles.ts'
import { CreateWebhook } from './create.tsx'
import { WebhookList } from './list.tsx'
import '../../styles/form.css'

const route = getRouteApi('/projects/$projectId/webhooks')

/** Which systems hear of the project, and whether they get what is sent. */
export function WebhooksPage() {
  const { projectId } = route.useParams()
  const { create } = route.useSearch()
  const navigate = route.useNavigate()
  const mayCreate = isAtLeast(useProjectRole(projectId), 'admin')
  const createLink = mayCreate ? (
    <p>
      <Link className="button" to="/projects/$projectId/webhooks" params={{ projectId }} search={{ create: true }}>
        Create webhook
      </Link>
    </p>
  ) : (
    <p className="quiet">Creating a webhook requires the role admin.</p>
  )
  return (
    <Page
      title="Webhooks"
      lead="Which systems get the project’s events, and whether they receive them."
      actions={mayCreate ? createLink : undefined}
    >
      <WebhookList
        place={{ projectId }}
        createLink={createLink}
        link={({ id: webhookId }, text) => (
          <Link to="/projects/$projectId/webhooks/$webhookId" params={{ projectId, webhookId }}>
            {text}
          </Link>
        )}
      />
      {create ? (
        <CreateWebhook
          place={{ projectId }}
          onClose={() => void navigate({ search: {}, replace: true })}
          onCreated={(webhookId) =>
            void navigate({ to: '/projects/$projectId/webhooks/$webhookId', params: { projectId, webhookId } })
          }
        />
      ) : undefined}
    </Page>
  )
}
