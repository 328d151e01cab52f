import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { isAtLeast } from '../../parts/roles.ts'
import { ShortText } from '../../parts/long-text.tsx'
import { Controls } from '../webhook/controls.tsx'
import { WebhookDetail } from '../webhook/detail.tsx'
import { CreateWebhook } from '../webhooks/create.tsx'
import { WebhookList } from '../webhooks/list.tsx'
import type { Organization } from './tabs.ts'

const route = getRouteApi('/organizations/$slug')

/** The webhooks for all projects of the organization, or the selected one of them. */
export function WebhooksTab({ organization }: { organization: Organization }) {
  const { webhook } = route.useSearch()
  return webhook === undefined ? (
    <OrganizationWebhooks organization={organization} />
  ) : (
    <SelectedWebhook organization={organization} webhookId={webhook} />
  )
}

function OrganizationWebhooks({ organization }: { organization: Organization }) {
  const { create } = route.useSearch()
  const navigate = route.useNavigate()
  const { slug } = organization
  const isAdmin = isAtLeast(organization.role, 'admin')
  const createLink = isAdmin ? (
    <Link className="button" to="/organizations/$slug" params={{ slug }} search={{ tab: 'webhooks', create: true }}>
      Create webhook
    </Link>
  ) : (
    <p className="quiet">Creating a webhook requires the role admin.</p>
  )
  return (
    <>
      <div className="section-head">
        <p className="table-note">They get the events of all projects of the organization, future ones included.</p>
        {isAdmin ? createLink : undefined}
      </div>
      <WebhookList
        place={{ organizationId: organization.id }}
        createLink={createLink}
        link={({ id }, text) => (
          <Link to="/organizations/$slug" params={{ slug }} search={{ tab: 'webhooks', webhook: id }}>
            {text}
          </Link>
        )}
      />
      {create && isAdmin ? (
        <CreateWebhook
          place={{ organizationId: organization.id }}
          onClose={() => void navigate({ search: { tab: 'webhooks' }, replace: true })}
          onCreated={(id) => void navigate({ search: { tab: 'webhooks', webhook: id } })}
        />
      ) : undefined}
    </>
  )
}

function SelectedWebhook({ organization, webhookId }: { organization: Organization; webhookId: string }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(trpc.webhooks.get.queryOptions({ webhookId }, { refetchInterval: 10_000 }))
  const isAdmin = isAtLeast(organization.role, 'admin')
  return (
    <>
      <p className="table-note">
        <Link to="/organizations/$slug" params={{ slug: organization.slug }} search={{ tab: 'webhooks' }}>
          All webhooks
        </Link>
      </p>
      <Loaded query={query}>
        {({ webhook }) => (
          <>
            <div className="section-head">
              <h2>
                <ShortText text={webhook.url} />
              </h2>
              {isAdmin ? (
                <div className="actions">
                  <Controls
                    webhook={webhook}
                    onDeleted={() => void navigate({ search: { tab: 'webhooks' }, replace: true })}
                  />
                </div>
              ) : undefined}
            </div>
            <WebhookDetail
              webhook={webhook}
              isAdmin={isAdmin}
              search={search}
              onSearch={(change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true })}
            />
          </>
        )}
      </Loaded>
    </>
  )
}
