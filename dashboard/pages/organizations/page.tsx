import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type Outputs, trpc } from '../../api.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { plural } from '../../parts/number-text.ts'
import { Empty, Page } from '../../parts/page.tsx'
import { roleTexts } from '../../parts/roles.ts'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { CreateOrganization } from './create.tsx'

const route = getRouteApi('/organizations')

type Organization = Outputs['organizations']['list'][number]

/** Whom the user shares projects with, and with which role. */
export function OrganizationsPage() {
  const { create } = route.useSearch()
  const navigate = route.useNavigate()
  const organizations = useQuery(trpc.organizations.list.queryOptions())
  return (
    <Page
      title="Organizations"
      lead={
        organizations.data
          ? `You belong to ${plural(organizations.data.length, 'organization')}. Members share its projects, each according to a role.`
          : 'Members of an organization share its projects, each according to a role.'
      }
      actions={
        <Link className="button" to="/organizations" search={{ create: true }}>
          Create organization
        </Link>
      }
    >
      <Loaded query={organizations}>
        {(found) =>
          found.length === 0 ? (
            <Empty title="No organizations">
              <p>Create one to share projects with a team, or ask an admin to invite the address of your account.</p>
              <p>
                <Link className="button" to="/organizations" search={{ create: true }}>
                  Create organization
                </Link>
              </p>
            </Empty>
          ) : (
            <Table label="Organizations" columns={columns} rows={found} rowKey={({ id }) => id} />
          )
        }
      </Loaded>
      {create ? <CreateOrganization onClose={() => void navigate({ search: {}, replace: true })} /> : undefined}
    </Page>
  )
}

const columns: Column<Organization>[] = [
  {
    id: 'name',
    title: 'Name',
    cell: ({ name, slug, description }) => (
      <>
        <Link to="/organizations/$slug" params={{ slug }}>
          <ShortText text={name} />
        </Link>
        {description ? (
          <div className="hint">
            <ShortText text={description} />
          </div>
        ) : undefined}
      </>
    ),
    value: ({ name }) => name,
  },
  {
    id: 'slug',
    title: 'Slug',
    minor: true,
    cell: ({ slug }) => <code>{slug}</code>,
    value: ({ slug }) => slug,
  },
  {
    id: 'role',
    title: 'Your role',
    cell: ({ role }) => <span title={roleTexts[role]}>{role}</span>,
    value: ({ role }) => role,
  },
  {
    id: 'since',
    title: 'Created',
    cell: ({ createdAt }) => <Time at={createdAt} />,
    value: ({ createdAt }) => createdAt,
  },
]
