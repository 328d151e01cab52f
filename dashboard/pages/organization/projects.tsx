import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Outputs, trpc } from '../../api.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/page.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import type { Organization } from './tabs.ts'

type Project = Outputs['projects']['getProjects'][number]

export function ProjectsTab({ organization }: { organization: Organization }) {
  const projects = useQuery(trpc.projects.getProjects.queryOptions({ organizationId: organization.id }))
  return (
    <Loaded query={projects}>
      {(found) =>
        found.length === 0 ? (
          <Empty title="No projects">
            <p>
              Create a project on the page <Link to="/">Projects</Link> and choose this organization. All its members
              will see it.
            </p>
          </Empty>
        ) : (
          <Table label="Projects of the organization" columns={columns} rows={found} rowKey={({ id }) => id} />
        )
      }
    </Loaded>
  )
}

const columns: Column<Project>[] = [
  {
    id: 'name',
    title: 'Name',
    cell: ({ id, name }) => (
      <Link to="/projects/$projectId" params={{ projectId: id }}>
        <ShortText text={name} />
      </Link>
    ),
    value: ({ name }) => name,
  },
  {
    id: 'repository',
    title: 'Repository',
    cell: ({ repository }) => <ShortText text={repository} />,
    value: ({ repository }) => repository,
  },
  {
    id: 'branch',
    title: 'Branch',
    minor: true,
    cell: ({ branch }) => <ShortText text={branch} />,
    value: ({ branch }) => branch,
  },
  {
    id: 'language',
    title: 'Language',
    minor: true,
    cell: ({ language }) => language ?? <span className="quiet">–</span>,
    value: ({ language }) => language,
  },
  {
    id: 'created',
    title: 'Created',
    minor: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
    value: ({ createdAt }) => createdAt,
  },
]
