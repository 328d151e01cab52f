import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type Outputs, trpc } from '../../api.ts'
import { Commit } from '../../parts/copy.tsx'
import { Filters, SearchField } from '../../parts/filters.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { formatCount } from '../../parts/number-text.ts'
import { Empty, Page } from '../../parts/page.tsx'
import { Place } from './place.tsx'

const route = getRouteApi('/projects/$projectId/code')
const limit = 500

/** The files of a folder, or those whose path contains a text. */
export function FileList() {
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { commit, snapshot, folder = '', find } = search
  const query = useQuery(
    trpc.code.listFiles.queryOptions(
      {
        projectId,
        folder,
        limit,
        ...(snapshot ? { snapshotId: snapshot } : commit ? { commitSha: commit } : {}),
        ...(find ? { search: find.slice(0, 200) } : {}),
      },
      { placeholderData: keepPreviousData, staleTime: 60_000 },
    ),
  )
  return (
    <Page
      title="Code"
      lead={
        query.data ? (
          <>
            Files of <Commit sha={query.data.commitSha} />
          </>
        ) : (
          'The files of the repository with what tests do for them.'
        )
      }
    >
      <Place path={folder} />
      <Filters>
        <SearchField
          label="Part of the path"
          value={find}
          onChange={(next) => void navigate({ search: { ...search, find: next }, replace: true })}
        />
      </Filters>
      <Loaded query={query}>
        {({ entries, pagination, commitSha }) =>
          entries.length === 0 ? (
            <Empty title={find ? 'No path contains this text' : 'This folder is empty'} />
          ) : (
            <>
              <ul className="card files plain-list">
                {entries.map((entry) => (
                  <li key={entry.path}>
                    <Icon name={entry.kind === 'folder' ? 'folder' : 'file'} />
                    <EntryLink
                      of={entry}
                      name={find ? entry.path : entry.name}
                      commit={snapshot ? undefined : commitSha}
                    />
                  </li>
                ))}
              </ul>
              {pagination.total > entries.length ? (
                <p className="quiet">
                  The first {formatCount(entries.length)} of {formatCount(pagination.total)}. Search for a part of the
                  path.
                </p>
              ) : undefined}
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

interface EntryLinkProps {
  of: Outputs['code']['listFiles']['entries'][number]
  name: string
  commit: string | undefined
}

function EntryLink({ of: { kind, path }, name, commit }: EntryLinkProps) {
  const { snapshot, commit: given } = route.useSearch()
  if (kind === 'folder') {
    return (
      <Link to="." search={{ commit: given, snapshot, folder: path }}>
        {name}/
      </Link>
    )
  }
  if (kind === 'file') {
    return (
      <Link to="." search={{ path, snapshot, commit: given === undefined ? undefined : commit }}>
        {name}
      </Link>
    )
  }
  return (
    <span>
      {name} <span className="quiet">{kind === 'symlink' ? 'symbolic link' : 'submodule'}</span>
    </span>
  )
}
